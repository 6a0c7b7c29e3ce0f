/*
 * What compactions keep of the messages before them (struct claude_kept,
 * claude/state.h). sessfs-formats(5).
 *
 * A boundary names the kept messages, either each of them (preservedMessages)
 * or the ends of a chain (preservedSegment). If one of those is unknown,
 * nothing is kept.
 *
 * When the last boundary that names any is valid, or the file has more than 5
 * MiB, the agent forgets all other lines before the last boundary of the file.
 * So they can't be the leaf any more, and what still hangs on them hangs on the
 * last kept message instead. If the last boundary keeps none, it is bridged, as
 * orphans are (core/session/bridge.h).
 */
#ifndef SESSFS_CLAUDE_KEPT_H
#define SESSFS_CLAUDE_KEPT_H

#include "core/dialects/claude/state.h"

/*
 * What this boundary keeps; nothing for INDEX_NONE. The caller frees
 * kept->places, also on error. Returns 0 or -errno.
 */
int claude_kept_load(const struct session *s, uint32_t boundary,
		     struct claude_kept *kept);

/*
 * Find what the session's last compaction keeps, if that may have changed since
 * the last time, or `again`. 0 or -ENOMEM.
 */
int claude_kept_settle(struct session *s, bool again);

/* Has the agent forgotten the entry? */
bool claude_is_forgotten(const struct session *s, uint32_t entry);

/* The parent that a kept entry has instead of its own; or INDEX_NONE. */
uint32_t claude_kept_parent(const struct claude_kept *kept, uint32_t entry);

#endif
