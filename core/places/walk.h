/*
 * All sessions below a folder, at any depth, but for those that subagents of
 * the sessions wrote.
 *
 *     struct walk w = { .from = place };
 *     int err = walk_start(&w);
 *     while ((at = walk_next(&w)))
 *             ...; place_put(at);
 *     walk_end(&w);
 *
 * walk_start() scans the folders and pins the sessions. One that was deleted
 * since is returned, too: place_enter() and place_stat() report -ESTALE then. A
 * walk reads none, and counts as no use.
 *
 * A walk may be used by one thread at a time. Several threads can share one
 * under a lock: walk_next() neither reads files nor waits.
 */
#ifndef SESSFS_WALK_H
#define SESSFS_WALK_H

#include "core/places/list.h"
#include "core/places/places.h"

struct walk {
	/* A pinned folder, or SOURCE if that is a session. */
	struct place *from;

	/* Of all that were found; those before `next` were returned. */
	struct place_list sessions;
	size_t next;
	struct place_list waiting; /* private: to be scanned */
};

/*
 * Find the sessions. -ESTALE if `from` was deleted, or another error if it
 * can't be read; -ENOMEM. The caller calls walk_end() after an error, too.
 */
int walk_start(struct walk *w);

/* The next session; the caller calls place_put(). NULL at the end. */
struct place *walk_next(struct walk *w);

/* Unpin the sessions that were not returned. */
void walk_end(struct walk *w);

#endif
