/*
 * How long the kernel may cache attributes and names, in seconds.
 *
 * A file that is immutable while the epoch lasts may be cached without a limit.
 * So may the attributes of files that change seldom, as long as
 * fs/kernel/notify.h invalidates them: entries' folders and labels, by-id/ and
 * tree/. Names at a session's root are never cached: each path walk asks for
 * one there, and that request notices every change of the session file.
 *
 * The node's session is entered, unless node_is_outside().
 */
#ifndef SESSFS_TIMEOUTS_H
#define SESSFS_TIMEOUTS_H

#include "fs/kernel/fs.h"

double timeout_of_attr(struct fs *fs, const struct node *n);
double timeout_of_name(const struct node *n);

#endif
