/*
 * Recognizing the bytes of a log that were read: by the first and the last of
 * them, and by a digest of all.
 *
 * `length` is how many bytes were read. A log that cannot be read matches
 * nothing.
 */
#ifndef SESSFS_FINGERPRINT_H
#define SESSFS_FINGERPRINT_H

#include "core/file/log.h"

struct fingerprint {
	/* Of up to 256 bytes each. The start stays as it was read first. */
	uint64_t start;
	uint64_t end;
	uint64_t start_n;    /* bytes of the start */
	uint64_t digest;     /* the sum of hash_line() over all lines */
	uint64_t first_line; /* the first line's part in that sum */
	bool lacks_newline;  /* the last line read has none yet */
};

/* Keep the first and the last bytes. 0 or -errno. */
int fingerprint_keep_ends(struct fingerprint *f, const struct log *log,
			  uint64_t length);

/* Does the log still have these bytes at both ends? Costs two reads. */
bool fingerprint_ends_match(const struct fingerprint *f, const struct log *log,
			    uint64_t length);

/* Does the log still have all the bytes? Reads them all. */
bool fingerprint_matches(const struct fingerprint *f, const struct log *log,
			 uint64_t length);

#endif
