#include "core/session/fingerprint.h"

#include "core/base/hash.h"
#include "core/file/feed.h"

#define END_SIZE 256

static uint64_t end_size(uint64_t length)
{
	return length < END_SIZE ? length : END_SIZE;
}

static int hash_at(const struct log *log, uint64_t offset, uint64_t n,
		   uint64_t *hash)
{
	char bytes[END_SIZE];
	int err = log_read(log, offset, bytes, n);
	if (!err)
		*hash = hash_line((struct span){ bytes, n }, offset);
	return err;
}

int fingerprint_keep_ends(struct fingerprint *f, const struct log *log,
			  uint64_t length)
{
	uint64_t n = end_size(length);
	/* The start stays as it was read: the file may differ by now. */
	int err = f->start_n == n ? 0 : hash_at(log, 0, n, &f->start);
	if (!err)
		f->start_n = n;
	return err ? err : hash_at(log, length - n, n, &f->end);
}

bool fingerprint_ends_match(const struct fingerprint *f, const struct log *log,
			    uint64_t length)
{
	uint64_t n = end_size(length);
	uint64_t start;
	uint64_t end;
	return hash_at(log, 0, f->start_n, &start) == 0 && start == f->start &&
	       hash_at(log, length - n, n, &end) == 0 && end == f->end;
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
