/*
 * Going on in the agent from an entry: `sessfs resume`, and what others print
 * or run for it. By the rules of the session's dialect (dialect/resuming.h) the
 * agent gets the session itself, with HEAD moved to the entry, or a copy of the
 * entry's branch: one that it makes itself, or one that is put where it and
 * `sessfs open` find it.
 *
 * A session that is not mounted is mounted as by `sessfs open`, if a file of
 * the mount is needed. A line that is printed has `sessfs resume -x` do that,
 * or move HEAD, as it has it make copies: printing mounts nothing.
 */
#ifndef SESSFS_RESUME_H
#define SESSFS_RESUME_H

#include "core/places/agents.h"

struct target;

/*
 * With an entry in the target (target_entry()): print a line for a shell, which
 * continues from there. Returns an exit status after reporting errors.
 */
int resume_print(struct target *t);

struct resume_how {
	const struct dialect *in; /* the agent; NULL: the session's own */
	bool fork;		  /* in a copy, or in another one */
	bool run;		  /* else it is only printed, and less said */
	char **flags;		  /* of the user's for it, up to a NULL */
};

struct resume_plan {
	/* The agent's command line. */
	const char *program;
	const char *option;
	struct buf operand;
	const char *more; /* or NULL; how->flags follow it */
	char *cwd;	  /* in which it starts; NULL: where the user is */

	bool is_ours; /* `sessfs resume -x` has to do it; to be printed */
	bool moves;   /* HEAD is moved first, to this target */
	struct buf head;
	struct buf branch; /* the bytes of the entry's branch, if it is copied
			      first, */
	struct buf copy;   /* to this path, unless it is there */

	/* What it is made from. */
	struct target *t;
	const struct resume_how *how;
	/* private */
	const struct session *s;
	const struct dialect *to; /* whose agent goes on */
	bool is_other;		  /* that is not the session's own */
	const struct dialect_resuming *rules;
	struct agent_folders found;
	const char **folders; /* their paths, and a NULL */
	bool is_head;	      /* HEAD is at the entry already */
};

/*
 * Decide on what has to be done. A copy of a branch is made once, and opened
 * again as long as nobody has gone on in it. One that has grown is somebody's:
 * the next one is new.
 *
 * The target has an entry. Returns an exit status after reporting errors, and
 * what the user should know of a session that is there. The caller calls
 * resume_plan_free() in either case.
 */
int resume_plan_make(struct resume_plan *p, struct target *t,
		     const struct resume_how *how);
void resume_plan_free(struct resume_plan *p);

#endif
