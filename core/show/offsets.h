/*
 * Where each entry begins in lines.txt, the file that all entries are rendered
 * into, one after the other.
 *
 * The offsets of every OFFSETS_STEP-th entry are kept, which are sums of sizes.
 * So the file of a million entries has an exact size and can be read anywhere
 * without being rendered. Offsets are added as the session grows, and kept as
 * derived.h says, but for changes of files beside the session.
 */
#ifndef SESSFS_OFFSETS_H
#define SESSFS_OFFSETS_H

#include <stdint.h>

#define OFFSETS_STEP 64

struct session;

/* The size of an entry: 0 or -errno. */
typedef int offsets_size_fn(const struct session *s, uint32_t entry,
			    uint64_t *size);

/*
 * The entries before this one have offsets already: a caller that measures them
 * in parallel begins here.
 */
uint32_t offsets_known(const struct session *s);

/*
 * Find the entry that has the byte at an offset, and where the entry begins. At
 * the end of the file it is the number of entries, and the size of the file. 0,
 * -ENOMEM, or an error of `size`.
 */
int offsets_find(const struct session *s, offsets_size_fn *size,
		 uint64_t offset, uint32_t *entry, uint64_t *start);

#endif
