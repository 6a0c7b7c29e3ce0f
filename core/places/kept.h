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

#include "core/base/buf.h"

#define KEPT_LIVE ".live"

/* Append its path; nothing if there is no home. */
void kept_add_folder(struct buf *out);

#endif
