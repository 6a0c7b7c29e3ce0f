/*
 * How long the kernel may cache attributes and names, in seconds.
 *
 * Attributes are cached without a limit or not at all: fresh_lasts() in
 * fs/tree/fresh.h. So are the names of an entry's files. Names at a session's
 * root, and its attributes, are cached in bursts alone (fs/kernel/burst.h):
 * each path walk asks for one there, and that request notices every change of
 * the session file. So are the names and attributes of folders of sessions, and
 * of the sessions in them that are in memory: the requests below them notice
 * when one was deleted or renamed.
 *
 * Names that begin with a dot are never those of an entry or its files
 * (core/session/file_name.h). Programs ask for them in each folder: .gitignore,
 * .hidden. The kernel may cache that they are absent, without a limit: symlinks
 * that have such names for a while are made through the kernel
 * (fs/edit/staged.h).
 *
 * The node's session is entered, unless node_is_outside().
 */
#ifndef SESSFS_TIMEOUTS_H
#define SESSFS_TIMEOUTS_H

#include "fs/kernel/fs.h"

double timeout_of_attr(struct fs *fs, const struct node *n);
double timeout_of_name(struct fs *fs, const struct node *n);

/* Of a name that a folder does not have. */
double timeout_of_absence(const struct node *dir, struct span name);

#endif
