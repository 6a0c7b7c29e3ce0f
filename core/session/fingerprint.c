#include "core/session/fingerprint.h"

#include <errno.h>

#include "core/base/hash.h"
#include "core/file/feed.h"

#define END_SIZE 256

void fingerprint_free(struct fingerprint *f)
{
	buf_free(&f->start);
	buf_free(&f->end);
	*f = (struct fingerprint){ 0 };
}

static int keep(struct buf *b, const struct log *log, uint64_t offset, size_t n)
{
	buf_reset(b);
	char *to = buf_reserve(b, n);
	int err = to ? log_read(log, offset, to, n) : -ENOMEM;
	if (!err)
		b->len = n;
	return err;
}

int fingerprint_keep_ends(struct fingerprint *f, const struct log *log,
			  uint64_t length)
{
	size_t n = length < END_SIZE ? length : END_SIZE;
	/* The start stays as it was read: the file may differ by now. */
	int err = f->start.len == n ? 0 : keep(&f->start, log, 0, n);
	return err ? err : keep(&f->end, log, length - n, n);
}

static bool has_at(const struct log *log, struct span bytes, uint64_t offset)
{
	char now[END_SIZE];
	return log_read(log, offset, now, bytes.n) == 0 &&
	       span_eq(bytes, (struct span){ now, bytes.n });
}

bool fingerprint_ends_match(const struct fingerprint *f, const struct log *log,
			    uint64_t length)
{
	struct span end = buf_span(&f->end);
	return has_at(log, buf_span(&f->start), 0) &&
	       has_at(log, end, length - end.n);
}

static int digest_line(void *data, struct span line, uint64_t offset)
{
	uint64_t *digest = data;
	*digest += hash_line(line, offset);
	return 0;
}

bool fingerprint_matches(const struct fingerprint *f, const struct log *log,
			 uint64_t length)
{
	struct feed feed = { 0 };
	uint64_t digest = 0;
	int err = feed_file(log, &feed, length, digest_line, &digest);
	if (!err && feed.rest.n > 0)
		digest += hash_line(feed.rest, feed.offset);
	buf_free(&feed.chunk);
	return !err && digest == f->digest;
}
