/*
 * Where an agent keeps its files on this machine: the folders of its sessions,
 * as its environment variables and settings say, and its own folder.
 *
 * core/dialects/kit/home.h has what several agents do. Only this process's
 * environment is read.
 */
#ifndef SESSFS_DIALECT_HOME_H
#define SESSFS_DIALECT_HOME_H

#include <stdbool.h>

#include "core/base/buf.h"

struct session;

/* What is looked for; core/places/agents.h makes it. */
struct home_search {
	/* The working directory whose sessions they are; NULL: any. */
	const char *dir;
	/*
	 * Add a folder, which may not exist. A relative one is below the
	 * working directory. It is `shared` if it also has sessions of other
	 * directories than `dir`. 0 or -errno.
	 */
	int (*add)(const struct home_search *h, struct span path, bool shared);
	void *added; /* for add() */
};

struct dialect_home {
	const char *agent; /* its name, for people */

	/*
	 * Add the folders of sessions, those that the agent looks into first
	 * before the others. 0 or -errno.
	 */
	int (*find)(const struct home_search *h);

	/* Append the agent's own folder, in which it has `skills`. */
	void (*add_folder)(struct buf *out);

	/*
	 * Sessions are in folders of days, YYYY/MM/DD; else the agent goes on
	 * only from those that are in one of the folders itself.
	 */
	bool by_day;

	/*
	 * What tells of session_is_subagent(), also where the session's folder
	 * does not (core/catalogue/find.c): how the names of such files begin,
	 * or a function. Both are optional.
	 */
	const char *subagents;
	bool (*is_subagent)(const struct session *s);
};

/*
 * The sessions of subagents, which an agent writes beside the session that
 * started them. Which entries started which: now.started.
 */
struct dialect_subagents {
	/*
	 * Their folder in the session's own folder, which has the name of its
	 * file without ".jsonl". A session of them may also be beside this one.
	 */
	const char *folder;
	/* Optional: append the path of that folder if it is elsewhere. */
	void (*add_folder)(const char *session, struct buf *out);
};

#endif
