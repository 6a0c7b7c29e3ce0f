/*
 * Freshness: what a file changes with, and all that follows from it.
 *
 * node_kinds[].changes_with names the sources of a kind: what the bytes of its
 * files, or the names in its folders, depend on within an epoch of the session
 * (core/session/session.h). A kind without sources does not change then.
 *
 *     mtime          fresh_time(): a base time, and the values of the sources
 *                    in its nanoseconds
 *     renderings     fresh_version(): the mtime as a number, the key in the
 *                    cache (fs/tree/cache.h)
 *     timeouts       fresh_lasts(): how long the kernel may keep attributes
 *                    (fs/kernel/timeouts.h)
 *     invalidation   of the files that the kernel may have, those whose kind
 *                    has a source that has changed (fs/kernel/notify.h)
 *
 * A new kind of file that changes with these sources is a row of node_kinds[].
 * A new source is a bit here and a row in fresh.c. The kernel asks for its
 * files each time, unless it is also added to FRESH_NOTIFIED and
 * fs/kernel/notify.c finds its changes.
 *
 * The kernel keeps pages and listings as long as the mtime stays, so an mtime
 * must never repeat with other bytes. The base time is:
 *
 *     an entry's file   the entry's own time; without one, the time at which
 *                       the epoch began
 *     a set label       the time of its line
 *     FRESH_STAMPED     the session's last change, of files with such a source
 *     outside           that of the folder or session file on the disk
 *                       (node_is_outside()); of groups and the links in them
 *                       that of a session's last entry (groups_stat())
 *
 * Values below a million leave the milliseconds of the base time as they are.
 */
#ifndef SESSFS_FRESH_H
#define SESSFS_FRESH_H

#include <stdint.h>
#include <time.h>

struct node;
struct tree;

enum fresh_source {
	FRESH_CHILDREN = 1 << 0, /* the entry's children */
	FRESH_LABEL = 1 << 1,	 /* the entry's label */
	FRESH_VIEW = 1 << 2,	 /* the session, for by-id/ and tree/: each path
				    walk needs their attributes */
	FRESH_AGENTS = 1 << 3,	 /* the files of the entry's subagents */
	FRESH_OUTSIDE = 1 << 4, /* files that the entry's content has text of */
	FRESH_OUTSIDE_ALL = 1 << 5, /* those of all contents */
	FRESH_MIGRATION = 1 << 6,   /* contents.linear */
	FRESH_CONTEXT = 1 << 7,	    /* the session, if
				       dialect_sending.context_grows */
	FRESH_SESSION = 1 << 8,	    /* the session */
	FRESH_SCAN = 1 << 9,	 /* the set of sessions that a scan has found */
	FRESH_BELOW = 1 << 10,	 /* all sessions below a folder; the mtime is
				    made of the bytes */
	FRESH_NAMES = 1 << 11,	 /* names that a session's root may have */
	FRESH_PROCESS = 1 << 12, /* the agent that has the session open */
	FRESH_LOOKUPS = 1 << 13, /* of `info`, while counters are on */
	/*
	 * A link, or what is in files/, that comes and goes. Its number
	 * determines its target or bytes, so it needs no version
	 * (fs/tree/node_kinds.h).
	 */
	FRESH_PRESENCE = 1 << 14,
	FRESH_GROUPS = 1 << 15, /* the names of groups, or of those in one */
};

/* The base time of files with these is that of the session's last change. */
#define FRESH_STAMPED (FRESH_SESSION | FRESH_VIEW | FRESH_CONTEXT)

/* The kernel is notified when one of these changes. */
#define FRESH_NOTIFIED (FRESH_CHILDREN | FRESH_LABEL | FRESH_VIEW)

/* Of the leaf and of the entry that HEAD points to, these change next. */
#define FRESH_EXPECTED (FRESH_CHILDREN | FRESH_LABEL)

/* Listing a folder with one of these finds changes that nobody has seen yet. */
#define FRESH_LISTED_ANEW (FRESH_VIEW | FRESH_SCAN | FRESH_GROUPS)

/*
 * The time of the last change. The node's session is entered, and it is not
 * node_is_outside(). Of a file that is, fresh_mix() makes the time from its
 * base time, in place.
 */
struct timespec fresh_time(const struct tree *t, const struct node *n);
void fresh_mix(const struct tree *t, const struct node *n,
	       struct timespec *time);

/* The same as a number. 0 of a file that is node_is_outside(). */
uint64_t fresh_version(const struct tree *t, const struct node *n);

/* How long the kernel may keep a file's attributes, at most for the epoch. */
enum fresh_lasts {
	/* Until it is notified, at the latest when a path walk enters the
	   session. */
	FRESH_KEPT,
	/* The same where it is notified of each change at once. */
	FRESH_PROMPT,
	/* It must ask each time. */
	FRESH_ASKED,
};

/* The session is entered, and the node is not node_is_outside(). */
enum fresh_lasts fresh_lasts(const struct node *n);

#endif
