/*
 * The sessions that are selected (select.h): rows of the catalogue of some
 * PATHs, or of this user's agents.
 *
 * Without PATHs the sessions are those of this user's agents, where the agents
 * keep them (core/places/agents.h). Left out are then sessions without entries
 * and those of subagents, unless an id names them: those that say so
 * themselves (session_is_subagent()), and all in a folder of runs.
 */
#ifndef SESSFS_SELECTION_H
#define SESSFS_SELECTION_H

#include "core/catalogue/catalogue.h"
#include "core/places/agents.h"
#include "mount/operands/select.h"

struct selection {
	const struct select_by *by;
	char *dir; /* by->dir, or the one above it that has sessions */
	struct agent_folders folders; /* without PATHs; by source */
	bool *of_set;		      /* with PATHs: by source */
	struct catalogue catalogue;
	struct session_rows rows; /* that are selected, in order */
	int status;		  /* STATUS_FAILED: something can't be read */
};

/*
 * Select sessions below the n PATHs, or all of the agents. Exit status after
 * reporting errors. The caller calls selection_free() on the zeroed struct in
 * either case.
 */
int selection_make(struct selection *s, const struct select_by *by,
		   char *const *paths, size_t n);
void selection_free(struct selection *s);

/*
 * Find the folders of the agents that are selected, or of all: 0 or -errno. The
 * caller frees them.
 */
int selection_find_folders(const struct select_by *by, const char *dir,
			   enum agents_which which, struct agent_folders *f);

/*
 * The one session of the agents whose id starts or ends so, in *path, which the
 * caller frees. 0, -ENOENT: none has, or it is too short a part, -ENOTUNIQ:
 * several have, or -ENOMEM.
 */
#define SELECTION_ID_LEAST 4
int selection_find_id(const struct select_by *by, struct span id, char **path);

/* What a message calls a file: as the user named it, else by its path. */
const char *selection_called(const struct selection *s,
			     const struct session_row *row);

/* Has its agent deleted it (core/session/kept.h)? Not of PATHs. */
bool selection_is_kept(const struct selection *s,
		       const struct session_row *row);

/* The newest that is selected, of kept ones only if all are, or NULL. */
const struct session_row *selection_last_used(const struct selection *s);

/*
 * The newest session that its agent would go on from, else the file that was
 * changed last, which can be read, or tells what is wrong. NULL if there is
 * none. There were no PATHs.
 */
const struct session_row *selection_newest(const struct selection *s);

/*
 * Append a session for people: the end of its id, agent, when it was used,
 * where, and its words, separated by two spaces or more.
 */
void selection_add_text(const struct session_row *row, struct buf *out);

/*
 * A folder of links to sessions in a mount of several sources: by-project/,
 * by-day/, and the folders in them. Paths, which group_free() frees.
 */
struct group {
	char **list;
	size_t n;
	size_t cap;
};

/* Add the sessions and folders of a group, or the path if it is none: 0 or
   -ENOMEM. */
int group_add(struct group *g, const char *path);
void group_free(struct group *g);

#endif
