/*
 * The whole tree in the order in which it is drawn: root first, children by
 * time (file order where that is equal), everything below an entry before its
 * next sibling.
 *
 * Bookkeeping is left out, and its children hang on what it hangs on. A caller
 * may ask for it: then an entry's bookkeeping comes right after it, each a step
 * with nothing below it, and all other steps are drawn as they are without.
 *
 *     struct walk w;
 *     struct walk_step step;
 *     int got = walk_begin(&w, s, false);
 *     while (!got && (got = walk_next(&w, &step)) > 0)
 *             …
 *     walk_end(&w);
 *
 * It is indented only where it branches: chains are as long as sessions are.
 * Costs what the tree has, and memory for the entries that wait; nothing
 * recurses. Errors are -ENOMEM.
 */
#ifndef SESSFS_WALK_H
#define SESSFS_WALK_H

#include "core/session/session.h"

#define WALK_NONE UINT32_MAX

struct walk_step {
	uint32_t entry;
	uint32_t number; /* of the step, from 0 */
	uint32_t parent; /* the step of its parent, or WALK_NONE for a root */
	uint32_t depth;	 /* how far it is indented */
	bool books;	 /* bookkeeping of its parent */
	bool branch; /* one of several children, to be drawn as such; no root */
	bool last;   /* of them */
	/* private */
	uint32_t indent;
	bool branched; /* one of several children or roots */
};

struct walk {
	/* private */
	const struct session *s;
	struct walk_step *stack; /* entries that wait */
	size_t n;
	size_t cap;
	uint32_t *children; /* of the entry in hand */
	size_t children_cap;
	uint32_t number; /* of the next step */
	bool several_roots;
	bool books; /* are asked for */
};

/* `books`: is bookkeeping to be walked, too? */
int walk_begin(struct walk *w, const struct session *s, bool books);

/* 1 and the next entry, 0 at the end, or -ENOMEM. */
int walk_next(struct walk *w, struct walk_step *step);

void walk_end(struct walk *w);

#endif
