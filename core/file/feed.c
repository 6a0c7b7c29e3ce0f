#include "core/file/feed.h"

#include <errno.h>

/* Still in the processor's cache when its lines are parsed. */
#define CHUNK ((size_t)256 << 10)

/* What the owner of the log has in memory is used where it is. */
static bool use_kept(const struct log *log, struct feed *f, uint64_t size)
{
	uint64_t kept = log->kept.n < size ? log->kept.n : size;
	bool uses = f->rest.n == 0 && f->offset < kept;
	if (uses)
		f->rest = (struct span){ log->kept.p + f->offset,
					 (size_t)(kept - f->offset) };
	return uses;
}

/* Have the chunk begin with the rest. False without memory. */
static bool begin_with_rest(struct feed *f)
{
	struct buf *chunk = &f->chunk;
	if (f->rest.n > 0 && f->rest.p != chunk->data) {
		chunk->len = 0;
		char *to = buf_reserve(chunk, f->rest.n);
		if (!to)
			return false;
		memmove(to, f->rest.p, f->rest.n);
	}
	chunk->len = f->rest.n;
	return true;
}

int feed_read(const struct log *log, struct feed *f, uint64_t size)
{
	struct buf *chunk = &f->chunk;
	uint64_t at = f->offset + f->rest.n;
	size_t step = f->step ? f->step : CHUNK;
	bool ends = false;
	if (use_kept(log, f, size) || at >= size)
		return 0;
	if (!begin_with_rest(f))
		return -ENOMEM;
	while (at < size && !ends) {
		size_t want = size - at < step ? (size_t)(size - at) : step;
		char *to = buf_reserve(chunk, want);
		f->rest = buf_span(chunk);
		int err = to ? log_read(log, at, to, want) : -ENOMEM;
		if (err)
			return err;
		/* A long line has its newline in the new bytes only. */
		ends = memchr(to, '\n', want) != NULL;
		chunk->len += want;
		at += want;
		f->rest = buf_span(chunk);
	}
	return 0;
}

bool feed_next_line(struct feed *f, struct span *line, uint64_t *offset)
{
	const char *lf = NULL;
	if (f->rest.n > 0)
		lf = memchr(f->rest.p, '\n', f->rest.n);
	if (!lf)
		return false;
	*line = (struct span){ f->rest.p, (size_t)(lf - f->rest.p) };
	*offset = f->offset;
	f->offset += line->n + 1;
	f->rest = span_from(f->rest, line->n + 1);
	return true;
}

int feed_file(const struct log *log, struct feed *f, uint64_t size,
	      feed_line_fn *use, void *data)
{
	int err = 0;
	while (!err && f->offset + f->rest.n < size) {
		struct span line;
		uint64_t offset;
		err = feed_read(log, f, size);
		while (!err && feed_next_line(f, &line, &offset))
			err = use(data, line, offset);
	}
	return err;
}

int feed_lines(const struct log *log, uint64_t offset, uint64_t size,
	       feed_line_fn *use, void *data)
{
	struct feed f = { .offset = offset };
	int err = feed_file(log, &f, size, use, data);
	if (!err && f.rest.n > 0)
		err = use(data, f.rest, f.offset);
	buf_free(&f.chunk);
	return err;
}
