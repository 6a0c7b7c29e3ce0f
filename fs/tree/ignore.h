/*
 * .ignore and .gitignore: what other programs leave out when they walk over a
 * mount. Neither is listed. Programs look them up by name.
 *
 *     .ignore          in a session's root, and in the root of a mount, for rg,
 *                      fd and editors, of which many follow links. Each entry
 *                      is found once, in by-id/. Without it they enter every
 *                      entry by way of every other one.
 *     by-id/.ignore    and in path/, by-label/ and branches/: each entry that
 *                      one of these names once, if a program starts there
 *     by-file/.ignore  what is in the entries: its links have names of a form
 *     .gitignore       in the root of a mount: `git add` in a project around
 *                      the mount point takes nothing of it
 *
 * rg reads both, and a .ignore outweighs every .gitignore. So it begins with
 * "!*", or rg would find nothing in a mount inside a repository. The last line
 * that matches counts.
 *
 * A pattern that ends with a slash matches folders, and links to them only if a
 * program follows these. No file of an entry matches any. The root's patterns
 * have one part: given a path, rg 13 looks for `by-id/ID` below `by-id` once
 * more, and would take that for `by-id/ID/CHILD`.
 */
#ifndef SESSFS_IGNORE_H
#define SESSFS_IGNORE_H

#include "fs/tree/node.h"

/* Append the bytes of the two. 0 or -ENOMEM. */
int ignore_render(const struct session *s, const struct node *n,
		  struct buf *out);
int ignore_render_git(const struct session *s, struct buf *out);

#endif
