/*
 * The sessions that go on from one another (forks.h), by their bases. It
 * borrows the places. A caller that adds a place, or shows or hides it, clears
 * `is_current`. Of several forks with one name the index has the first.
 *
 * All but fork_index_lock() are called under either side of places.lock.
 */
#ifndef SESSFS_FORK_INDEX_H
#define SESSFS_FORK_INDEX_H

#include "core/places/list.h"
#include "core/places/places.h"

struct fork_index {
	bool is_current;
	bool is_complete; /* forks_scan() has ended */
	/* For forks_changes(); relaxed atomic access. */
	unsigned changes;
	struct place_list by_name;   /* by base_id, then by name */
	struct place_list by_number; /* by base_id, then by home */
};

/* Take the read side of places.lock, with a current index. 0 or -ENOMEM. */
int fork_index_lock(struct places_state *p);

/* The first fork of a session whose home is above a number, or NULL. */
struct place *fork_index_next(const struct place *of, uint32_t above);

/* The fork with a name, or NULL. */
struct place *fork_index_find(const struct place *of, struct span name);

/* Under the lock: give a place another base, whose id is swapped with *id. */
void fork_index_set_base(struct place *at, struct buf *id);

/* Under the lock: a place is removed. */
void fork_index_forget(const struct place *at);

void fork_index_free(struct fork_index *x);

#endif
