/*
 * Extended attributes: user.sessfs.KEY is the line KEY of an entry's `meta`,
 * and user.sessfs says what a folder is:
 *
 *     set                  the root of several sources
 *     folder PATH          a folder of sessions, and where it is on the disk
 *     session PATH         the root of a session, and where its file is
 *     entry NAME           the folder of an entry in by-id/, and its name there
 *     subtree NAME         the same in tree/
 *
 * A path is absolute, and as it is. Before it stands what the mount was told:
 * "dialect=NAME ", "ro " and "force ". user.sessfs is not listed: a copy of the
 * folder is none.
 *
 * The others are read from the rendering of `meta`, so the two always agree. An
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
