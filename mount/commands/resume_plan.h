/*
 * What has to be done for an agent to continue from an entry.
 *
 * A copy of a branch is made once, and opened again as long as nobody has gone
 * on in it. One that has grown is somebody's: the next one is new.
 */
#ifndef SESSFS_RESUME_PLAN_H
#define SESSFS_RESUME_PLAN_H

#include "core/base/buf.h"

struct dialect;
struct target;

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
	const char *more; /* or NULL */
	char **flags;	  /* as above */
	char *cwd;	  /* in which it starts; NULL: where the user is */

	bool is_ours; /* `sessfs resume -x` has to do it; to be printed */
	bool moves;   /* HEAD is moved first, to this target */
	struct buf head;
	struct buf branch; /* the bytes of the entry's branch, if it is copied
			      first, */
	struct buf copy;   /* to this path, unless it is there */
};

/*
 * Decide on it. The target has an entry. Returns an exit status after reporting
 * errors, and what the user should know of a session that is there. The caller
 * calls resume_plan_free() on the zeroed struct in either case.
 */
int resume_plan_make(struct resume_plan *p, struct target *t,
		     const struct resume_how *how);
void resume_plan_free(struct resume_plan *p);

#endif
