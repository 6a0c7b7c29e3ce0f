/*
 * sessions.txt: a line for each session in a folder, at any depth
 * (core/catalogue/summary.h), with its path from the folder.
 *
 * Each time the folders are scanned, so that it is current, unless nothing has
 * changed below SOURCE since its own was made. The summary of a
 * session is made when it is first needed and after its file has changed, on
 * all processors, and kept as a note of its place. A session that is not in
 * memory is read for that and freed again, so none is evicted.
 */
#ifndef SESSFS_SESSIONS_H
#define SESSFS_SESSIONS_H

#include "core/catalogue/summaries.h"
#include "fs/tree/tree.h"

/*
 * The epoch of all sessions below SOURCE (places_epoch()): what was made of
 * them after this call is current for as long as the number stays. 0: nothing
 * is known.
 */
uint64_t sessions_epoch(struct tree *t);

/*
 * Make the rows of all sessions in a folder, which is pinned, in the order of
 * lines. row->owned is the place, pinned until sessions_end(), which the caller
 * calls after an error, too. Sessions that are deleted meanwhile, or can't be
 * read, are not listed. -ESTALE if the folder was deleted; -ENOMEM.
 */
int sessions_make(struct tree *t, struct place *folder, struct summaries *rows);
void sessions_end(struct summaries *rows);

/* Append their lines. Errors as above. */
int sessions_add(struct tree *t, struct place *folder, struct buf *out);

#endif
