/*
 * parent-session: a link in the root of a session to the one that it goes on
 * from (core/places/bases.h); if that is outside of the mount, to its file.
 *
 * The entry of the link's node is the number of the place that it leads to, or
 * 0, and nth is made of the path of a file outside of the mount, so that both
 * determine the target. Errors are negative errno values.
 */
#ifndef SESSFS_BASE_LINK_H
#define SESSFS_BASE_LINK_H

#include "fs/tree/node.h"

/* Does a root have parent-session? Then its node is set: 0, or -ENOENT. */
int base_link_find(const struct node *root, struct node *n);

/* Append the target. The session is entered. */
int base_link_render(const struct session *s, const struct node *n,
		     struct buf *out);

#endif
