/*
 * What folders hold: found by name, and listed one by one.
 *
 * A position in a listing is a number that later entries do not change (it goes
 * to the user as d_off): a section of the folder in the upper half, and in the
 * lower half what comes next there. Sections are: "." and ".." and the fixed
 * names; pictures; entries, in file order; named heads; staged symlinks. Of a
 * folder of sessions it is a serial number (core/places/places.h).
 */
#ifndef SESSFS_DIR_H
#define SESSFS_DIR_H

#include "fs/kernel/fs.h"

/* The position behind "." and "..", of every folder. */
#define DIR_BEHIND_DOTS 2

/*
 * `dir` is from fs_enter(). What is found is put back with dir_put(), because
 * it may be in a place of its own.
 */

/* The file of that name in a folder: -ENOENT, -ENOTDIR. */
int dir_lookup(struct fs *fs, const struct node *dir, struct span name,
	       struct node *n);

/*
 * The next file at *position, which is moved on: 1 with its name (appended) and
 * node, 0 at the end. "." and ".." have nodes too.
 */
int dir_next(struct fs *fs, const struct node *dir, uint64_t *position,
	     struct buf *name, struct node *n);

void dir_put(const struct node *dir, const struct node *n);

#endif
