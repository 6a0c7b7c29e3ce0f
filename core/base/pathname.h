/*
 * Paths as text. No file is looked at.
 */
#ifndef SESSFS_PATHNAME_H
#define SESSFS_PATHNAME_H

#include <stdbool.h>

#include "core/base/buf.h"

/* FOLDER/NAME, for the caller to free; NULL without memory. */
char *pathname_join(const char *folder, const char *name);

/* Is an absolute path the folder, or below it? */
bool pathname_is_below(const char *path, const char *folder);

/*
 * Append a file name for a path that no other path has: /home/me is +home+me. A
 * long one is cut at the start, and has a hash.
 */
void pathname_add_whole(struct buf *out, struct span path);

/*
 * If a path is the home directory or below it, append "~", and take the
 * directory off the path. "", "/" and NULL are no home.
 */
void pathname_begin_home(struct buf *out, struct span *path, const char *home);

#endif
