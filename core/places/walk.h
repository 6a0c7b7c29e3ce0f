/*
 * All sessions below a place, at any depth, with those of subagents, which are
 * below their session. Sessions that have no folder of their own cost nothing
 * more.
 *
 *     struct walk w = { .from = place };
 *     int err = walk_start(&w);
 *     while ((at = walk_next(&w)))
 *             ...; place_put(at);
 *     walk_end(&w);
 *
 * walk_start() scans the folders and pins the sessions. They are returned by
 * mount_path, compared as bytes. A session that was deleted since is returned,
 * too: place_enter() and place_stat() report -ESTALE then. Pins keep sessions
 * in memory that are there already, but a walk reads none and counts as no use.
 *
 * A walk may be used by one thread at a time. Several threads can share one
 * under a lock: walk_next() neither reads files nor waits.
 */
#ifndef SESSFS_WALK_H
#define SESSFS_WALK_H

#include "core/places/folder.h"
#include "core/places/list.h"
#include "core/places/places.h"

struct walk {
	/* A pinned folder, or SOURCE if that is a session. */
	struct place *from;
	/*
	 * Optional. Called for each folder below `from` that could not be read,
	 * except if it was deleted, and with -EACCES for each file that may be
	 * a session but has no read permission.
	 */
	void (*unread)(void *data, const struct place *at, int err);
	void *unread_data;
	/* Leave out those that subagents of the sessions wrote. */
	bool skips_subagents;
	/*
	 * Do not read the files, for a walker that visits all of them: a file
	 * that has changed is returned, too, if it is no session. place_enter()
	 * and place_visit_once() find out, and return -ESTALE;
	 * place_is_session() does no more than that.
	 */
	bool defers;

	/* What was not taken for sessions. */
	struct compressed compressed;

	/* Of all that were found; those before `next` were returned. */
	struct place_list sessions;
	size_t next;
	/* Private: to be scanned, reported, or with subagents to look for. */
	struct place_list waiting;
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
