/*
 * Paths as text. No file is looked at.
 */
#ifndef SESSFS_PATHNAME_H
#define SESSFS_PATHNAME_H

#include <stdbool.h>

#include "core/base/buf.h"

/* A path without slashes at its end; those of the root are one. */
struct span pathname_trim(struct span path);

/* FOLDER/NAME, for the caller to free; NULL without memory. */
char *pathname_join(const char *folder, const char *name);

/* Is an absolute path the folder, or below it? */
bool pathname_is_in(struct span path, struct span folder);
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

/*
 * Append a path in one of the XDG base directories: that which the variable
 * names, or the usual one in the home directory. Nothing without either.
 */
void pathname_add_xdg(struct buf *out, const char *variable, const char *usual,
		      const char *path);

/* The part of a path below a folder; the whole path if it is not below it. */
struct span pathname_from(struct span path, struct span folder);

/* Append the way from a folder to a path, both as seen from the same one. */
void pathname_add_way(struct buf *out, struct span folder, struct span path);

/*
 * Append a path without ".", ".." and empty parts; a relative one as seen from
 * `dir`, which may be empty. Above the root there is nothing. Of a path that
 * stays relative, "..", as often as it goes above its start, remain; of the
 * start itself nothing is appended.
 */
void pathname_add_normal(struct buf *out, struct span dir, struct span path);

#endif
