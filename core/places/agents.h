/*
 * The folders in which this user's agents keep sessions, by the rules that
 * stand beside their dialects (core/session/dialect/home.h).
 */
#ifndef SESSFS_AGENT_FOLDERS_H
#define SESSFS_AGENT_FOLDERS_H

#include "core/session/dialect.h"

struct agent_folder {
	const struct dialect *agent;
	char *path; /* absolute */
	/* It has sessions of other directories, too: their cwd tells. */
	bool shared;
	bool kept; /* it has what the agent has deleted (kept.h) */
};

struct agent_folders {
	struct agent_folder *list;
	size_t n;
	size_t cap;
};

/* Which folders are found. */
enum agents_which {
	AGENTS_THERE,	/* those that exist */
	AGENTS_MISSING, /* also agents' own that do not */
	AGENTS_ANY,	/* and those of what they may delete */
};

/*
 * Find the folders in which the agents, or `only` one, keep this user's
 * sessions, by agent. With `dir`, an absolute path without symlinks, those that
 * have sessions of this working directory. A folder that two agents share is
 * found for the first one. After an agent's own folders comes the one with what
 * it has deleted, if there is one. 0 or -errno. The caller calls
 * agent_folders_free() on the zeroed struct in either case.
 */
int agent_folders_find(struct agent_folders *f,
		       const struct dialect_registry *r,
		       const struct dialect *only, const char *dir,
		       enum agents_which which);
void agent_folders_free(struct agent_folders *f);

/* The agent of that name, which is its dialect's, or NULL. */
const struct dialect *agent_named(const struct dialect_registry *r,
				  const char *name);

/*
 * Append the names of the agents, or what people call them, with ", " between
 * them, and a word before the last one.
 */
void agent_add_names(const struct dialect_registry *r, bool titles,
		     const char *last, struct buf *out);

/*
 * What a session's file name has of ids, without the suffix: an agent names it
 * after the id, or after a time and the id. Codex puts the time before it, and
 * has two ids, with a "_" between them, in some names.
 */
struct span agent_ids_in_name(struct span name);

/* The last one, which tells sessions apart. */
struct span agent_id_in_name(struct span name);

#endif
