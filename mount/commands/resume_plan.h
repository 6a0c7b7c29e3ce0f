/* What has to be done for an agent to continue from an entry. */
#ifndef SESSFS_RESUME_PLAN_H
#define SESSFS_RESUME_PLAN_H

#include "core/base/buf.h"

struct dialect;
struct target;

struct resume_how {
	const struct dialect *in; /* the agent; NULL: the session's own */
	bool fork;		  /* in a copy, or in another one */
	/* Nothing will be printed, which needs fewer files of a mount. */
	bool run;
};

struct resume_plan {
	/* The agent's command line. */
	const char *program;
	const char *option;
	struct buf operand;
	const char *more; /* or NULL */
	char *cwd;	  /* in which it starts; NULL: where the user is */

	bool moves; /* HEAD is moved first, to this target */
	struct buf head;
	struct buf branch_path; /* of the entry's branch, in the mount */
	struct buf branch;	/* or its bytes, if it is copied first, */
	struct buf copy;	/* to this path, unless that is there */
	bool is_locked;		/* the copy has the session's mode, by which
				   its owner could not write to it */
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
