/*
 * How long the kernel may cache attributes and names, in seconds.
 *
 * A file that is immutable while the epoch lasts may be cached without a limit.
 * So may a file that changes seldom, if fs/kernel/notify.h invalidates it: that
 * covers the names and attributes in an entry's folder. Nothing at a session's
 * root may be cached: each path walk asks for a name there, and the request
 * notices every change of the session file.
 *
 * The node's session is entered, unless node_is_outside().
 */
#ifndef SESSFS_TIMEOUTS_H
#define SESSFS_TIMEOUTS_H

#include "fs/kernel/fs.h"

double timeout_of_attr(struct fs *fs, const struct node *n);
double timeout_of_name(const struct node *n);

#endif
