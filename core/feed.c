#include "core/feed.h"

#include <errno.h>

#define CHUNK ((size_t)1 << 20)

static int feed_lines(struct feed *f, feed_taker *take, void *data)
{
	const char *lf;
	int err = 0;
	while (!err && f->rest.n > 0 &&
	       (lf = memchr(f->rest.p, '\n', f->rest.n))) {
		struct span line = { f->rest.p, (size_t)(lf - f->rest.p) };
		err = take(data, line, f->offset);
		f->offset += line.n + 1;
		f->rest.p += line.n + 1;
		f->rest.n -= line.n + 1;
	}
	return err;
}

int feed_file(const struct log *log, struct feed *f, uint64_t size,
	      feed_taker *take, void *data)
{
	uint64_t at = f->offset;
	int err = 0;
	while (!err && at < size) {
		size_t want = size - at < CHUNK ? (size_t)(size - at) : CHUNK;
		char *to = buf_reserve(&f->chunk, want);
		f->rest = buf_span(&f->chunk);
		err = to ? log_read(log, at, to, want) : -ENOMEM;
		if (err)
			break;
		/* Only what is new can hold the newline of a long line. */
		bool ends = memchr(to, '\n', want) != NULL;
		f->chunk.len += want;
		at += want;
		f->rest = buf_span(&f->chunk);
		if (!ends)
			continue;
		err = feed_lines(f, take, data);
		memmove(f->chunk.data, f->rest.p, f->rest.n);
		f->chunk.len = f->rest.n;
		f->rest = buf_span(&f->chunk);
	}
	return err;
}
