/*
 * Bookkeeping: entries that only describe other entries or the session, and say
 * nothing themselves, such as labels, marks of the head, and names. So are
 * lines of which the model hears nothing.
 *
 * The dialect's row says which types of entries are bookkeeping
 * (dialect_reading.bookkeeping): for Pi it is in
 * core/dialects/pi/pi.c.
 *
 * Bookkeeping is linked into the tree like all other entries. Besides, each
 * entry stands for an entry: for itself, or, if it is bookkeeping, for its
 * nearest ancestor that is not. HEAD, path/, branches/ and the drawn trees
 * follow these links, so they show the tree without bookkeeping. HEAD also
 * looks through notes (core/session/shown_head.c).
 *
 * Readers need the session's lock; no function here takes one.
 */
#ifndef SESSFS_BOOKKEEPING_H
#define SESSFS_BOOKKEEPING_H

#include "core/session/index.h"

/* Is an entry of this type bookkeeping? `types` are a dialect's. */
static inline bool bookkeeping_has(uint32_t types, enum entry_type type)
{
	return types & ENTRY_BIT(type);
}

/* Is the entry a tip: no bookkeeping, and only bookkeeping below it? */
static inline bool bookkeeping_is_tip(const struct index *x, uint32_t entry)
{
	return !x->entries[entry].bookkeeping && !x->entries[entry].continues;
}

/* The parent of an entry in the tree without bookkeeping, or INDEX_NONE. */
static inline uint32_t bookkeeping_shown_parent(const struct index *x,
						uint32_t entry)
{
	uint32_t parent = x->entries[entry].parent;
	return parent == INDEX_NONE ? INDEX_NONE
				    : x->entries[parent].stands_for;
}

/*
 * The entry after `at` (INDEX_NONE: the first) among those that are below `top`
 * (INDEX_NONE: among the roots) with nothing but bookkeeping in between:
 * children and, each after its parent, the children of bookkeeping. INDEX_NONE
 * at the end.
 */
static inline uint32_t bookkeeping_next_below(const struct index *x,
					      uint32_t top, uint32_t at)
{
	if (at == INDEX_NONE)
		return index_child_from(x, top, 0);
	return index_next_below(x, top, at, x->entries[at].bookkeeping);
}

#endif
