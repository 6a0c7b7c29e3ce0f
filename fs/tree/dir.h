/*
 * Folders: finding a file by name, and listing files one by one.
 *
 * A position in a listing is a number, which programs see as d_off. It stays
 * valid when entries are appended. The upper half is a section of the folder,
 * the lower half the next file in that section. The sections are: ".",
 * ".." and the fixed names; pictures; entries, in file order (in path/, from
 * the root on), or folders in by-file/; named branches, or links there, or
 * the files of as/;
 * subagents; overlaid symlinks. In a folder of sessions a position is a serial
 * number (core/places/places.h); by-project/ and by-day/ come after all of
 * them. In these, and in groups, it is made of the entry of the file's node.
 */
#ifndef SESSFS_DIR_H
#define SESSFS_DIR_H

#include "fs/tree/tree.h"

/* The position after "." and "..", in every folder. */
#define DIR_AFTER_DOTS 2

/*
 * In all functions `dir` is entered. A node that is found may be in another
 * place than `dir`, and is pinned until dir_put().
 */

/*
 * Find a file by name. 0 or -errno: -ENOENT, -ENOTDIR if `dir` is no folder, or
 * the error of reading a session or a folder.
 */
int dir_lookup(struct tree *t, const struct node *dir, struct span name,
	       struct node *n);

/*
 * Look for new files of a folder of sessions, and of groups (fs/tree/groups.h).
 * Called before these are listed; does nothing for others.
 */
int dir_scan(struct tree *t, const struct node *dir);

/*
 * The file at *position, which is advanced: 1 with its node and its name
 * (appended), 0 at the end, or -errno. "." and ".." have nodes too.
 */
int dir_next(struct tree *t, const struct node *dir, uint64_t *position,
	     struct buf *name, struct node *n);

void dir_put(const struct node *dir, const struct node *n);

#endif
