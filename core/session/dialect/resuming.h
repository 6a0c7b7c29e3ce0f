/*
 * How the agent goes on from an entry, for `sessfs resume`: words of its
 * command line, under which name it opens a session, and where it finds a copy.
 *
 * `folders`, which ends with a NULL, are those in which the agent keeps the
 * sessions of the directory that it is started in, the first one for new ones.
 * They need not exist.
 */
#ifndef SESSFS_DIALECT_RESUMING_H
#define SESSFS_DIALECT_RESUMING_H

#include "core/base/buf.h"

struct session;

/* A branch as a session of its own. */
struct resuming_copy {
	/* Its bytes (dialect_sending.branch, or dialect_receiving.write). */
	struct span branch;
	const char *const *folders;
	struct buf path; /* gets the path at which the agent finds it */
	struct buf name; /* gets the name for `opens`; empty: the path */
};

struct dialect_resuming {
	const char *program;
	/* The word before a session that it is to go on with. */
	const char *opens;
	/*
	 * The word before a file that it goes on from in a copy of its own, and
	 * what follows the file. NULL: it makes no copies.
	 */
	const char *forks;
	const char *forks_with;
	/*
	 * Optional: would a copy that it makes of the whole session lack what
	 * the session has? Without it, it would not.
	 */
	bool (*fork_loses)(const struct session *s);

	/*
	 * Optional: append the name by which the agent opens the session;
	 * nothing if it would not find it, or would not go on with it. Without
	 * it that is the session's path.
	 */
	void (*add_name)(const struct session *s, const char *const *folders,
			 struct buf *out);

	/*
	 * Optional: would the agent go on from the entry (INDEX_NONE: before
	 * the first) if HEAD is there, or is moved there? Without it, it would.
	 */
	bool (*sees_head)(const struct session *s, uint32_t entry);

	/*
	 * Find where a copy belongs, and its name. `s` is the session that the
	 * branch is of; NULL: it was made of another agent's, and is based on
	 * nothing. -ENOENT if the agent would not find what the branch is based
	 * on, -EBADMSG if the branch does not say whose it is.
	 */
	int (*find_copy)(const struct session *s, struct resuming_copy *c);
};

#endif
