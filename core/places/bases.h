/*
 * The base of a session: the one that it goes on from (dialect_bases), which
 * its agent names by the id in its file's name. Which sessions go on from one
 * is in the catalogue (core/catalogue/families.c).
 *
 * It is read from a session's first line, and again when the session has become
 * another file, or has grown while it names no base: the first line may be
 * incomplete at first. A session that can't be read has none.
 *
 * Functions need no entered session, except for SOURCE's own. Errors are
 * negative errno values.
 */
#ifndef SESSFS_BASES_H
#define SESSFS_BASES_H

#include "core/places/places.h"

/* Do sessions of its dialect go on from one another? */
bool bases_are_known(struct place *at);

/*
 * Append the path of the file that a session goes on from, which may be outside
 * of SOURCE. -ENOENT if it goes on from none, or that is not there.
 */
int bases_path(struct place *at, struct buf *path);

/*
 * The session with a file at a path, pinned. -ENOENT if SOURCE is no folder, or
 * the path is not that of a session in it.
 */
int bases_place_at(struct places *p, const char *path, struct place **found);

#endif
