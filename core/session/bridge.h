/*
 * Bridging: an entry whose parent was never written may hang on another one by
 * time, where its agent does so. Claude Code's does (FORMATS 6.1).
 *
 * The dialect says of each line whether it may hang so, and whether others may
 * hang on it (index.h). An orphan hangs on the newest entry that is no newer
 * than itself; of equally new ones on the first in the file. If that is below
 * the orphan itself, the orphan stays a root, unless it is just as old: then
 * the next one is taken.
 */
#ifndef SESSFS_BRIDGE_H
#define SESSFS_BRIDGE_H

#include "core/session/index.h"

/*
 * For index_link(), when cycles are cut and children are not linked yet: give
 * orphans their parents. Costs n log n. Returns 0 or -ENOMEM.
 */
int bridge_orphans(struct index *x);

#endif
