#include "core/session/fingerprint.h"

#include "core/base/hash.h"
#include "core/file/feed.h"

static void add(struct fingerprint *f, struct span bytes)
{
	const size_t most = FINGERPRINT_END;
	size_t room = most - f->n_start;
	size_t n = bytes.n < room ? bytes.n : room;
	memcpy(f->start + f->n_start, bytes.p, n);
	f->n_start += n;
	if (bytes.n > most) {
		bytes.p += bytes.n - most;
		bytes.n = most;
	}
	if (f->n_end + bytes.n > sizeof(f->end)) {
		memmove(f->end, f->end + f->n_end - most, most);
		f->n_end = most;
	}
	memcpy(f->end + f->n_end, bytes.p, bytes.n);
	f->n_end += bytes.n;
}

void fingerprint_add(struct fingerprint *f, struct span line, uint64_t digest)
{
	if (f->n_start == 0)
		f->first_line = digest;
	f->digest += digest;
	add(f, line);
}

void fingerprint_end_line(struct fingerprint *f, struct span newline)
{
	add(f, newline);
	f->lacks_newline = false;
}

static bool has_at(const struct log *log, uint64_t offset, const char *bytes,
		   size_t n)
{
	char now[FINGERPRINT_END];
	return log_read(log, offset, now, n) == 0 && memcmp(now, bytes, n) == 0;
}

bool fingerprint_ends_match(const struct fingerprint *f, const struct log *log,
			    uint64_t length)
{
	size_t n = f->n_end < FINGERPRINT_END ? f->n_end : FINGERPRINT_END;
	return has_at(log, 0, f->start, f->n_start) &&
	       has_at(log, length - n, f->end + f->n_end - n, n);
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
	uint64_t digest = 0;
	int err = feed_lines(log, 0, length, digest_line, &digest);
	return !err && digest == f->digest;
}
