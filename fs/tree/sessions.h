/*
 * sessions.txt: a line for each session in a folder, at any depth
 * (core/show/summary.h), with its path from the folder.
 *
 * Each time the folders are scanned, so that it is current. The summary of a
 * session is made when it is first needed and after its file has changed, on
 * all processors, and kept as a note of its place. A session that is not in
 * memory is read for that and freed again, so none is evicted.
 */
#ifndef SESSFS_SESSIONS_H
#define SESSFS_SESSIONS_H

#include "fs/tree/tree.h"

/*
 * Append the lines. The folder is pinned. Sessions that are deleted meanwhile,
 * or can't be read, have no line. -ESTALE if the folder was deleted; -ENOMEM.
 */
int sessions_add(struct tree *t, struct place *folder, struct buf *out);

#endif
