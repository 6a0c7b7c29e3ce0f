/*
 * Nodes: the files of the tree.
 *
 * A node is a kind (fs/tree/node_kinds.h) in a place (core/places/places.h)
 * and, for most kinds, an entry of the place's session. An inode number packs
 * the three (fs/tree/ino.h), so a node is never looked up by path and needs no
 * memory of its own.
 *
 * The session of the node's place must be entered for node_head(),
 * node_writable() and node_is_head_folder(), and need not be for the others.
 */
#ifndef SESSFS_NODE_H
#define SESSFS_NODE_H

#include "core/places/places.h"
#include "fs/tree/node_kinds.h"

struct node {
	enum node_kind kind;
	uint32_t entry;	     /* 0 where the kind has none */
	uint32_t nth;	     /* of a picture, from 1; or as below */
	struct place *place; /* pinned by the caller that made the node */
};

/*
 * Folders of sessions, the files in them, and the roots and forks/ of the
 * sessions in them, are outside of sessions: their attributes are those of the
 * files on disk, so no session need be entered for them.
 */
bool node_is_outside(const struct node *n);

/*
 * Is no session entered for what is done in it? So it is in folders of
 * sessions, and in forks/, of whose links the catalogue knows
 * (fs/tree/groups.h).
 */
bool node_is_unentered(const struct node *n);

/*
 * HEAD, as the session has it now. Its entry is the one that it points to; if
 * it points to tree/, nth is NODE_HEAD_TREE. So each target has a number of its
 * own, as the kernel expects of symlinks: it caches their targets by number.
 */
#define NODE_HEAD_TREE 1
struct node node_head(struct place *at);

/* An error of reading the session: -EAGAIN if another file has its path. */
int node_check_file(const struct session *s, int err);

/* nth of a .ignore that is neither in a session's root nor in a mount's. */
#define NODE_IGNORE_VIEW 1
/* The same of that in by-file/. */
#define NODE_IGNORE_FILES 2

/*
 * nth of an entry's as/ in tree/: as folders, that and the one in by-id/ need
 * numbers of their own. The files in them are the same.
 */
#define NODE_AS_TREE 1

/* Is node.entry the number of an entry? */
bool node_has_entry(const struct node *n);

/* Is it an entry's folder, in tree/ or in by-id/? */
bool node_is_entry_folder(const struct node *n);

/*
 * Can anything be written in the node's session? 0 or -EROFS. Where none is
 * entered nothing can: -EPERM, or -EROFS if the mount is read-only.
 */
int node_writable(const struct node *n);

/* Is it the folder that HEAD points to? */
bool node_is_head_folder(const struct node *n);

#endif
