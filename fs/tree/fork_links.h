/*
 * Links between sessions that go on from one another (core/places/forks.h), in
 * the root of a session:
 *
 *     parent-session   to the one that it goes on from; if that is outside of
 *                      the mount, to its file
 *     forks/NAME       in a mount of a folder, to those that go on from it
 *
 * The entry of a link's node is the number of the place that it leads to, or 0,
 * and nth is made of the path of a file outside of the mount, so that both
 * determine the target. The session of the node's place is entered in all
 * functions. Errors are negative errno values.
 */
#ifndef SESSFS_FORK_LINKS_H
#define SESSFS_FORK_LINKS_H

#include "fs/tree/node.h"

/* Does a root have parent-session? Then its node is set: 0, or -ENOENT. */
int fork_links_find_parent(const struct node *root, struct node *n);

/* Find a link in forks/: 0 or -ENOENT. */
int fork_links_find(const struct node *dir, struct span name, struct node *n);

/*
 * The first link in forks/ from *at on: 1 with its name appended and *at after
 * it, 0 if there is none. The caller has scanned (forks_scan()).
 */
int fork_links_next(const struct node *dir, uint32_t *at, struct buf *name,
		    struct node *n);

/* Append the target of a link. */
int fork_links_render(const struct session *s, const struct node *n,
		      struct buf *out);

#endif
