/*
 * Extended attributes: user.sessfs.KEY is the line KEY of an entry's `meta`.
 *
 * They are read from the rendering of `meta`, so the two always agree. An
 * entry's folders and the files in them have extended attributes; other files
 * have none, and none can be set. A value beyond Linux's limit of 64 KiB is in
 * `meta` only.
 *
 * Names outside of "user." fail with -EOPNOTSUPP. Programs that ask each file
 * for an access list (ls -l) then stop asking.
 *
 * The node's session is entered, unless node_is_outside(). -EAGAIN as for
 * render_file().
 */
#ifndef SESSFS_XATTR_H
#define SESSFS_XATTR_H

#include "fs/tree/tree.h"

/* Append the value of a name: 0, -ENODATA, -EOPNOTSUPP or -E2BIG. */
int xattr_get(struct tree *t, const struct node *n, struct span name,
	      struct buf *value);

/* Append all names, each with a NUL after it. 0 or -errno. */
int xattr_list(struct tree *t, const struct node *n, struct buf *names);

#endif
