/*
 * Extended attributes: user.sessfs.KEY is the line KEY of an entry's `meta`.
 *
 * They are cut out of the very bytes that `meta` shows, so that the two can't
 * say different things. An entry's folders and the files in them have them; no
 * other file has any, and none can be set. A value that is longer than Linux
 * lets one be (64 KiB) is in `meta` only.
 *
 * The kernel keeps none of it: every question is a request. Names outside of
 * "user." are EOPNOTSUPP, which tells programs that look at every file for an
 * access list (ls -l) that they need not ask again.
 */
#ifndef SESSFS_XATTR_H
#define SESSFS_XATTR_H

#include "fs/kernel/fs.h"

/*
 * The value of a name, appended: -ENODATA, -EOPNOTSUPP, -E2BIG. The node is
 * entered; -EAGAIN is render_file()'s.
 */
int xattr_get(struct fs *fs, const struct node *n, struct span name,
	      struct buf *value);

/* All names, appended, a NUL behind each. */
int xattr_list(struct fs *fs, const struct node *n, struct buf *names);

#endif
