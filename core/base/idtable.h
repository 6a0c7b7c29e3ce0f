/*
 * A hash table from byte strings to 32-bit values, for ids, file names and
 * labels.
 *
 * A slot has a value and 32 bits of its key's hash. The key is the caller's: a
 * lookup calls `key` for the values whose hash is equal. Several values may
 * have equal keys. The hash is seeded at random, so that nobody can choose ids
 * that collide. Single values can't be removed. A lookup allocates nothing, so
 * it finds what is there even where memory has run out.
 */
#ifndef SESSFS_IDTABLE_H
#define SESSFS_IDTABLE_H

#include <stdint.h>

#include "core/base/span.h"

#define IDTABLE_NONE UINT32_MAX

/* Room for a key that is built for a comparison. */
struct idtable_scratch {
	char name[272];
};

/*
 * Returns the key of a value. It may be built in `scratch`. The span is not
 * used after the next call.
 */
typedef struct span idtable_key(const void *owner, uint32_t value,
				struct idtable_scratch *scratch);

struct idtable_slot {
	uint32_t value; /* IDTABLE_NONE: free */
	uint32_t hash;
};

struct idtable {
	struct idtable_slot *slots;
	size_t cap; /* a power of two, or 0 */
	size_t n;
	uint64_t seed;
	idtable_key *key;
};

void idtable_init(struct idtable *t, idtable_key *key);

/* Free the memory. The table is empty then, and can be used again. */
void idtable_free(struct idtable *t);

/* 0 or -ENOMEM. `value` must not be IDTABLE_NONE. */
int idtable_add(struct idtable *t, struct span key, uint32_t value);

/*
 * Iterate over the values with a key. *at is the position, and starts at 0.
 * Returns IDTABLE_NONE at the end. `owner` is passed to the table's `key`.
 */
uint32_t idtable_next(const struct idtable *t, const void *owner,
		      struct span key, size_t *at);

/* The first of these values. */
uint32_t idtable_find(const struct idtable *t, const void *owner,
		      struct span key);

#endif
