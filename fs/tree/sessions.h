/*
 * The sessions of a mount: the catalogue of SOURCE (core/catalogue/), and
 * sessions.txt, a line for each session in a folder, at any depth
 * (core/catalogue/summary.h), with its path from the folder.
 *
 * Each time the folders are looked through, so that it is current, unless
 * nothing has changed below SOURCE. Sessions are read when they are first
 * needed and after their file has changed, on all processors. One that is not
 * in memory is read for that and freed again, so none is evicted.
 */
#ifndef SESSFS_SESSIONS_H
#define SESSFS_SESSIONS_H

#include "core/catalogue/catalogue.h"
#include "fs/tree/tree.h"

struct sessions;

/* NULL without memory, and sessions_free(NULL) is allowed. */
struct sessions *sessions_new(void);
void sessions_free(struct sessions *s);

/*
 * Lock the catalogue of SOURCE, and make it current. Threads that wait for a
 * refresh that began after they asked share it. sessions_unlock() follows in
 * any case. The order of the lock: fs/kernel/fs.h.
 */
int sessions_lock(struct tree *t, struct catalogue **c);
void sessions_unlock(struct tree *t);

/* For a reader of one moment: make it current, and then never again. */
int sessions_keep(struct tree *t);

/* Has the mount's root a line and links for it? Not those of subagents in a
   set, unless they are a source of it. */
bool sessions_has(const struct tree *t, const struct session_row *row);

/*
 * Of the row with a number, without a refresh: is its file as it was, or what
 * is it called below the mount's root? -ENOENT if there is no row.
 */
bool sessions_is_current(struct tree *t, uint32_t number);
int sessions_add_shown(struct tree *t, uint32_t number, struct buf *out);

/*
 * The epoch of all sessions below SOURCE (places_epoch()): what was made of
 * them after this call is current for as long as the number stays. 0: nothing
 * is known.
 */
uint64_t sessions_epoch(struct tree *t);

/*
 * Append the lines of the sessions.txt of a folder, which is pinned. Sessions
 * that are deleted meanwhile, or can't be read, are not listed. -ESTALE if the
 * folder was deleted; -ENOMEM.
 */
int sessions_add(struct tree *t, struct place *folder, struct buf *out);

#endif
