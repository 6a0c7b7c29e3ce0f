/*
 * Attributes: mode, owner, size and times of a file.
 *
 * Modes follow the session file's, without its write bits where nothing can be
 * written. The size is always exact. mtime, ctime and atime are the same
 * (fs/tree/fresh.h).
 */
#ifndef SESSFS_ATTR_H
#define SESSFS_ATTR_H

#include <sys/stat.h>

#include "fs/tree/tree.h"

/*
 * Fill *st. The session is entered, unless node_is_outside(). -errno if the
 * file can't be rendered to find its size; -EAGAIN as for render_file().
 */
int attr_fill(struct tree *t, const struct node *n, struct stat *st);

#endif
