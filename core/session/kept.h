/*
 * The folder in which `sessfs keep` keeps what agents delete:
 * $XDG_DATA_HOME/sessfs/kept, or ~/.local/share/sessfs/kept.
 *
 *     AGENT/PATH         sessions that the agent has deleted
 *     .live/AGENT/PATH   hard links to those that it has
 *
 * PATH is where the agent had the file, from the root of the file system on.
 */
#ifndef SESSFS_KEPT_H
#define SESSFS_KEPT_H

#include "core/session/dialect.h"

#define KEPT_LIVE ".live"

/* Append its path; nothing if there is no home. */
void kept_add_folder(struct buf *out);

/* Is the file at a path one that an agent has deleted? */
bool kept_has(const struct dialect *d, const char *path);

/*
 * dialect_bases.find_file() on the other side: among what is kept for a session
 * that its agent has, and where the agent had the file for one that is kept.
 */
int kept_find_other(const struct dialect *d, const char *path, struct span id,
		    const struct finding *how, struct buf *out);

/* The same where that of its own side finds none. */
int kept_find_base(const struct dialect *d, const char *path, struct span id,
		   const struct finding *how, struct buf *out);

/*
 * Has the file at a path all bytes of a kept one at its start, such as one that
 * was put back? One that can't be read has not.
 */
bool kept_begins(const char *path, const char *kept);

#endif
