/*
 * A hash table from byte strings to 32-bit values, for ids, file names and
 * labels.
 *
 * It stores values, and of each key's hash as much (8 bytes a slot, at most 3/4
 * full); the caller says, through `key`, which string a value stands for, and
 * is asked only where the hash fits. Several values may have equal keys. The
 * hash is seeded at random, so that ids can't be made to collide. Values can be
 * added and the table emptied; nothing is removed one by one.
 */
#ifndef SESSFS_IDTABLE_H
#define SESSFS_IDTABLE_H

#include <stdint.h>

#include "core/base/buf.h"

#define IDTABLE_NONE UINT32_MAX

/*
 * The string of a value; may be built in `scratch`, which is empty then. It is
 * used before the next call.
 */
typedef struct span idtable_key(const void *owner, uint32_t value,
				struct buf *scratch);

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
void idtable_free(struct idtable *t);
void idtable_clear(struct idtable *t);

/* 0 or -ENOMEM. `value` must not be IDTABLE_NONE. */
int idtable_add(struct idtable *t, struct span key, uint32_t value);

/* Walk the values with that key: start *at at 0; IDTABLE_NONE at the end. */
uint32_t idtable_next(const struct idtable *t, const void *owner,
		      struct span key, size_t *at);

/* The first of them. */
uint32_t idtable_find(const struct idtable *t, const void *owner,
		      struct span key);

#endif
