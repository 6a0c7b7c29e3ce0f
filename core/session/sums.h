/*
 * Where each entry begins in a file that all entries are rendered into, one
 * after the other.
 *
 * The sizes of entries are summed up to checkpoints, SUMS_STEP entries apart. A
 * file of a million entries has an exact size and can be read at any offset
 * without being rendered. Sums grow with the session, and are computed again
 * when its epoch changes.
 *
 * Thread-safe, for callers that have the session's read lock.
 */
#ifndef SESSFS_SUMS_H
#define SESSFS_SUMS_H

#include <stdint.h>

#define SUMS_STEP 64

struct session;
struct sums;

/* NULL without memory. */
struct sums *sums_new(void);
void sums_free(struct sums *s);

/* The size of an entry: 0 or -errno. */
typedef int sums_size_fn(const struct session *s, uint32_t entry,
			 uint64_t *size);

/* The entries before this one need not be measured any more. */
uint32_t sums_known(const struct session *s);

/*
 * Find the entry that has the byte at an offset, and where the entry begins. At
 * the end of the file it is the number of entries, and the size of the file. 0,
 * -ENOMEM, or an error of `size`.
 */
int sums_find(const struct session *s, sums_size_fn *size, uint64_t offset,
	      uint32_t *entry, uint64_t *start);

#endif
