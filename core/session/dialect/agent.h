/*
 * The agent that owns the files of a dialect: which of them it would not open,
 * which it has open, its locks, and where it fails.
 */
#ifndef SESSFS_DIALECT_AGENT_H
#define SESSFS_DIALECT_AGENT_H

#include "core/file/gate.h"
#include "core/session/session.h"

/*
 * What happens to the agent, at least in one version, where sessfs reads on.
 * For people; NULL: nothing happens.
 */
struct agent_faults {
	const char *null_line; /* a line is JSON's null */
	const char *timeless;  /* an entry has no timestamp */
	const char *last_line; /* the last line is a value that is no entry */
	const char *cycle;     /* parents form a cycle */
};

/* All members are optional. */
struct dialect_agent {
	/*
	 * Why the agent would not open the file. Without it the agent opens any
	 * file. Decided by what was noted while lines were ingested: it is
	 * called often.
	 */
	struct unopened (*unopened)(const struct session *s);

	/*
	 * For `info`: the process of the agent that has the session at this
	 * path open; 0 or -errno if none is found. Called with the session's
	 * read lock: it must not ask the mount. Or how many folders sessions
	 * are below that of the agent, if that has records of its processes
	 * (core/session/process.h).
	 */
	pid_t (*process)(struct gate *gate, const char *path);
	unsigned depth;

	/*
	 * Why nothing but the sidecar is written while a running agent has the
	 * session open: what would be lost. NULL: nothing would be.
	 */
	const char *refuses;

	/*
	 * With `refuses`, instead of process(): has a running agent the session
	 * open? 1 with its process, or 0 if that is not known; 0: none is
	 * found. -errno if there is no descriptor or memory to look for one.
	 * Called before each write, without the session's lock; the header is a
	 * copy.
	 */
	int (*in_use)(struct gate *gate, const char *path, struct json header,
		      pid_t *pid);

	/*
	 * The agent's lock on the session at this path, held during a write.
	 * -EBUSY if another process keeps it.
	 */
	int (*lock)(const char *path, void **held);
	void (*unlock)(void *held);

	struct agent_faults faults;
};

#endif
