/*
 * The sessions of this user's agents (core/places/agents.h), the newest first.
 * Left out are sessions without entries, and those of subagents, unless an id
 * names them: those that say so themselves (dialect_home.is_subagent), and all
 * in a folder of runs (folder_item_has_runs()).
 */
#ifndef SESSFS_AGENT_SESSIONS_H
#define SESSFS_AGENT_SESSIONS_H

#include "core/places/agents.h"
#include "mount/commands/list.h"

struct agent_sessions_how {
	const struct dialect *agent; /* NULL: all */
	const char *dir; /* a working directory without symlinks; NULL: all */
	const char *id;	 /* the start of an id; NULL: any */
	bool is_kept;	 /* only those that their agents have deleted */
	bool is_quiet;	 /* does not report what can't be read */
	bool is_newest;	 /* for agent_sessions_newest(): keeps all rows */
};

struct agent_sessions {
	const struct agent_sessions_how *how;
	struct agent_folders folders;
	struct listing listing;
	const struct summaries_row **rows; /* of listing.table */
	size_t n;
};

/*
 * Find the sessions. Exit status after reporting errors. The caller calls
 * agent_sessions_free() on the zeroed struct in either case.
 */
int agent_sessions_find(struct agent_sessions *s,
			const struct agent_sessions_how *how);
void agent_sessions_free(struct agent_sessions *s);

/* The agent in whose folder the session is. */
const struct dialect *agent_sessions_agent(const struct agent_sessions *s,
					   const struct summaries_row *row);

/*
 * The newest session of how->dir that its agent would go on from, else the file
 * that was changed last, which can be read, or tells what is wrong. NULL if
 * there is none.
 */
const struct summaries_row *
agent_sessions_newest(const struct agent_sessions *s);

/*
 * Append a session for people: agent, when it was used, where, and its words,
 * separated by two spaces.
 */
void agent_sessions_add_text(const struct agent_sessions *s,
			     const struct summaries_row *row, struct buf *out);

/*
 * Print the sessions: the agent, a tab, and the line of `sessfs list`. Exit
 * status.
 */
int agent_sessions_print(const struct agent_sessions_how *how);

#endif
