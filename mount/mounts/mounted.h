/*
 * Where a path is in a mounted session. Paths may be longer than PATH_MAX
 * below tree/. Errors are negative errno values.
 */
#ifndef SESSFS_MOUNTED_H
#define SESSFS_MOUNTED_H

#include <stdbool.h>

#include "core/base/buf.h"

struct mounted {
	char *root;  /* of the session, absolute, without symlinks */
	char *entry; /* the folder of an entry that it is or is in, as named in
			by-id/; or NULL */
	bool is_root;
	bool in_tree; /* the entry's folder is the one in tree/ */
};

/*
 * Find the session that a path is in; a file stands for its folder. -ESRCH if
 * it is in none, or the error of reaching it. The caller calls mounted_free().
 */
int mounted_find(struct mounted *m, const char *path);
void mounted_free(struct mounted *m);

/* Is it the root of a session? */
bool mounted_is_root(const char *path);

/* That of a mount of several sources, with by-project/ and by-day/? */
bool mounted_is_set(const char *path);

/* One of both? */
bool mounted_is_open(const char *path);

/*
 * Append a value of the session's `info`, without the escapes of a path.
 * -ENODATA if there is none.
 */
int mounted_info(const char *root, const char *key, struct buf *value);

/*
 * Append why the session has just refused a write, which failed with err. False
 * if it says no more than err: what `info` has is of an earlier write then.
 */
bool mounted_refusal(const char *root, int err, struct buf *reason);

/*
 * Append a path as it was before sessfs printed it in a line. One that is there
 * as it stands has no escapes.
 */
void mounted_add_unescaped(struct buf *out, const char *path);

/*
 * Is a folder one of a mounted folder of sessions? Then *root is the first
 * session in it, for the caller to free; NULL: there is none. 0 or -errno.
 */
int mounted_is_folder(const char *path, bool *is, char **root);

/*
 * The path of a step in path/, whose name goes on behind its number, for the
 * caller to free. NULL: there is none, or no memory.
 */
char *mounted_step(const char *folder, struct span number);

/* Do two paths lead to the same file? */
bool mounted_same_file(const char *a, const char *b);

#endif
