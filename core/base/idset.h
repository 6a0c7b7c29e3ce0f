/*
 * A set of byte strings, such as the ids of calls. Each has a number: 0, 1 and
 * so on, in the order in which they were added.
 *
 * The set keeps copies. A zeroed struct is an empty set. After idset_free() it
 * is empty again.
 */
#ifndef SESSFS_IDSET_H
#define SESSFS_IDSET_H

#include "core/base/buf.h"
#include "core/base/idtable.h"

#define IDSET_NONE IDTABLE_NONE

struct idset {
	uint32_t n;
	/* private: */
	struct idtable numbers;
	struct buf text;
	uint32_t *places; /* in text, by number */
	size_t cap;
};

void idset_free(struct idset *set);

/*
 * Add an id, unless it is there. *number is its number. 0, or -ENOMEM or -EFBIG
 * with the set unchanged.
 */
int idset_add(struct idset *set, struct span id, uint32_t *number);

/* The number of an id, or IDSET_NONE. */
uint32_t idset_find(const struct idset *set, struct span id);

/* An id by its number; valid until the next one is added. */
struct span idset_get(const struct idset *set, uint32_t number);

#endif
