/*
 * Bridging: an entry whose parent was never written may hang on another one by
 * time, where its agent does so. Claude Code's does (sessfs-formats(5)).
 *
 * The dialect says of each line whether it may hang so, and whether others may
 * hang on it (index.h). An orphan hangs on the newest entry that is no newer
 * than itself; of equally new ones on the first in the file. If that is below
 * the orphan itself, the orphan stays a root, unless it is just as old: then
 * the next one is taken. It stays a root, too, if that is more than BRIDGE_MS
 * older: a user who was away may have gone on from anywhere.
 */
#ifndef SESSFS_BRIDGE_H
#define SESSFS_BRIDGE_H

#include "core/session/index.h"

/* Found by running Claude Code 2.1.112 to 2.1.330. */
#define BRIDGE_MS 5000

/*
 * For index_link(), when cycles are cut and children are not linked yet: give
 * orphans their parents. Costs n log n. Returns 0 or -ENOMEM.
 */
int bridge_orphans(struct index *x);

/*
 * May an orphan hang on a line that comes now with this time, of an entry that
 * carries? Orphans with a time further in the future don't concern such lines.
 */
bool bridge_may_take(const struct index *x, int64_t time);

/*
 * The parents of all entries as they would be without those that are `gone`:
 * orphans are entries whose parents are gone. `parents` has x->n elements.
 * Costs n log n. Returns 0 or -ENOMEM.
 */
int bridge_without(const struct index *x, const bool *gone, uint32_t *parents);

#endif
