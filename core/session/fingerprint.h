/*
 * Recognizing the bytes of a log that were read: by the first and the last of
 * them, and by a digest of all.
 *
 * It is made of the bytes as they are read, and reads none itself: by then the
 * file may have other ones. `length` is how many bytes were read. A log that
 * cannot be read matches nothing.
 */
#ifndef SESSFS_FINGERPRINT_H
#define SESSFS_FINGERPRINT_H

#include "core/file/log.h"

/* How many bytes of each end are kept. */
#define FINGERPRINT_END 256

/* Zeroed: nothing was read. */
struct fingerprint {
	char start[FINGERPRINT_END];
	size_t n_start;
	/* The last FINGERPRINT_END of these are kept. */
	char end[2 * FINGERPRINT_END];
	size_t n_end;
	uint64_t digest;     /* the sum of hash_line() over all lines */
	uint64_t first_line; /* the first line's part in that sum */
	bool lacks_newline;  /* the last line read has none yet */
};

/* Add the next line that was read, with its newline if it has one. `digest` is
 * its hash_line(). */
void fingerprint_add(struct fingerprint *f, struct span line, uint64_t digest);

void fingerprint_end_line(struct fingerprint *f, struct span newline);

/* Does the log still have these bytes at both ends? Costs two reads. */
bool fingerprint_ends_match(const struct fingerprint *f, const struct log *log,
			    uint64_t length);

/* Does the log still have all the bytes? Reads them all. */
bool fingerprint_matches(const struct fingerprint *f, const struct log *log,
			 uint64_t length);

#endif
