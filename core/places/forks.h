/*
 * Sessions that go on from one another (dialect_bases): the base of a
 * session, and its forks, which are the sessions of SOURCE that go on from it.
 * The agent names a base by the id in its file's name.
 *
 * A session's base is read from its first line, and again when it has become
 * another file, or has grown while it names no base: the first line may be
 * incomplete at first. A session that can't be read has none.
 *
 * Functions need no entered session, except for SOURCE's own. Errors are
 * negative errno values.
 */
#ifndef SESSFS_FORKS_H
#define SESSFS_FORKS_H

#include "core/places/places.h"

/* Do sessions of its dialect go on from one another? */
bool forks_are_known(struct place *at);

/*
 * Append the path of the file that a session goes on from, which may be outside
 * of SOURCE. -ENOENT if it goes on from none, or that is not there.
 */
int forks_base_path(struct place *at, struct buf *path);

/*
 * The session with a file at a path, pinned. -ENOENT if SOURCE is no folder, or
 * the path is not that of a session in it.
 */
int forks_place_at(struct places *p, const char *path, struct place **found);

/*
 * Look for sessions and their bases in all of SOURCE, unless nothing has
 * changed since the last time (places_epoch()).
 */
int forks_scan(struct places *p);

/*
 * How often a session has got another base, or one with a base was removed,
 * since forks_scan() first ended; before that nobody knows the bases.
 */
unsigned forks_changes(const struct places *p);

/*
 * Iterate over the forks of a session that are known: 1 with the next one
 * pinned, 0 at the end, or -ENOMEM. *number is the position and starts at 0. Of
 * several with one name there is only the first.
 */
int forks_next(struct place *at, uint32_t *number, struct place **found);

/* The fork with a name, pinned. Scans if it is not known. -ENOENT if none. */
int forks_find(struct place *at, struct span name, struct place **found);

#endif
