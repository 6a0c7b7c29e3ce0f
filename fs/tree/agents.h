/*
 * Links from a session to others.
 *
 * Sessions of subagents (dialect_subagents), as the session shows them whose
 * calls started them:
 *
 *     subagents/           their folder, in the session's root
 *     by-id/ID/agent       a link to the one that the entry started
 *     by-id/ID/agent-2     and to its second one, and so on
 *
 * A link leads into that folder, or to a session beside this one. It is there
 * if the session's file is.
 *
 * parent-session: a link in the root of a session to the one that it goes on
 * from (core/places/bases.h); if that is outside of the mount, to its file.
 *
 * The entry of the link's node is the number of the place that it leads to, or
 * 0, and nth is made of the path of a file outside of the mount, so that both
 * determine the target.
 *
 * The session of the node's place is entered in all functions.
 */
#ifndef SESSFS_AGENTS_H
#define SESSFS_AGENTS_H

#include "fs/tree/node.h"

/*
 * Find the folder in a session's root, by its name or by listing it: 0 with its
 * node, whose place is pinned, or -ENOENT.
 */
int agents_find_folder(const struct node *root, struct span name,
		       struct node *n);
int agents_next_folder(const struct node *root, struct buf *name,
		       struct node *n);

/* The folder's name (dialect_subagents.folder); NULL: it has none. */
const char *agents_folder(const struct session *s);

/* Is a folder with that name there? NULL never is. */
bool agents_has_folder(const struct place *at, const char *name);

/*
 * The subagents of an entry: did it start any, and a number that is 0 if no
 * link is in its folder, and changes when a link comes or goes.
 */
bool agents_has_any(const struct node *dir);
uint64_t agents_version(const struct node *dir);

/* Find a link in an entry's folder by its name: 0 or -ENOENT; -ENOMEM. */
int agents_find(const struct node *dir, struct span name, struct node *n);

/*
 * The first link from *at on: 1 with its name appended and *at after it, 0 if
 * there is none, or -errno.
 */
int agents_next(const struct node *dir, uint32_t *at, struct buf *name,
		struct node *n);

/* Append the target of a link. */
int agents_render(const struct session *s, const struct node *n,
		  struct buf *out);

/* Does a root have parent-session? Then its node is set: 0, or -ENOENT. */
int base_link_find(const struct node *root, struct node *n);

/* Append the target. The session is entered. */
int base_link_render(const struct session *s, const struct node *n,
		     struct buf *out);

#endif
