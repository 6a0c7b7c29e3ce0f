/*
 * A walk over the whole tree in the order in which it is drawn: the root first,
 * children by time (in file order if that is equal), and all that is below an
 * entry before its next sibling.
 *
 * Bookkeeping is left out: its children count as its parent's. If the caller
 * asks for it, an entry's bookkeeping follows it directly, with no steps below,
 * and all other steps are as without.
 *
 *     struct tree_walk w;
 *     struct tree_step step;
 *     int got = tree_walk_begin(&w, s, false);
 *     while (!got && (got = tree_walk_next(&w, &step)) > 0)
 *             …
 *     tree_walk_end(&w);
 *
 * Only branches are indented, because chains are as long as sessions. Takes
 * time proportional to the tree, and memory for the entries that wait. Errors
 * are -ENOMEM.
 */
#ifndef SESSFS_TREE_WALK_H
#define SESSFS_TREE_WALK_H

#include "core/session/session.h"

#define TREE_STEP_NONE UINT32_MAX

struct tree_step {
	uint32_t entry;
	uint32_t number; /* of the step, from 0 */
	uint32_t parent; /* the step of its parent, or TREE_STEP_NONE for a root
			  */
	uint32_t depth;	 /* of indentation */
	bool bookkeeping; /* bookkeeping of its parent */
	bool branch;	  /* it has siblings; false for roots */
	bool last;	  /* of its siblings */
	/* private */
	uint32_t indent;
	bool branched; /* it has siblings */
};

struct tree_walk {
	/* private */
	const struct session *s;
	struct tree_step *stack; /* entries that wait */
	size_t n;
	size_t cap;
	uint32_t *children; /* of the entry in hand */
	size_t children_cap;
	uint32_t number; /* of the next step */
	bool several_roots;
	bool bookkeeping; /* is asked for */
};

/* `bookkeeping`: with the steps of bookkeeping, too. */
int tree_walk_begin(struct tree_walk *w, const struct session *s,
		    bool bookkeeping);

/* 1 and the next entry, 0 at the end, or -ENOMEM. */
int tree_walk_next(struct tree_walk *w, struct tree_step *step);

void tree_walk_end(struct tree_walk *w);

#endif
