/*
 * The whole tree in the order in which it is drawn: root first, children by
 * time (file order where that is equal), everything below an entry before its
 * next sibling.
 *
 * Bookkeeping is left out, and its children hang on what it hangs on. A caller
 * may ask for it: then an entry's bookkeeping comes right after it, each a step
 * with nothing below it, and all other steps are drawn as they are without.
 *
 *     struct tree_walk w;
 *     struct tree_step step;
 *     int got = tree_walk_begin(&w, s, false);
 *     while (!got && (got = tree_walk_next(&w, &step)) > 0)
 *             …
 *     tree_walk_end(&w);
 *
 * It is indented only where it branches: chains are as long as sessions are.
 * Costs what the tree has, and memory for the entries that wait; nothing
 * recurses. Errors are -ENOMEM.
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
	uint32_t depth;	 /* how far it is indented */
	bool bookkeeping; /* bookkeeping of its parent */
	bool branch; /* one of several children, to be drawn as such; no root */
	bool last;   /* of them */
	/* private */
	uint32_t indent;
	bool branched; /* one of several children or roots */
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
	bool bookkeeping; /* are asked for */
};

/* `books`: is bookkeeping to be walked, too? */
int tree_walk_begin(struct tree_walk *w, const struct session *s,
		    bool bookkeeping);

/* 1 and the next entry, 0 at the end, or -ENOMEM. */
int tree_walk_next(struct tree_walk *w, struct tree_step *step);

void tree_walk_end(struct tree_walk *w);

#endif
