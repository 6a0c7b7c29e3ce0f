/*
 * The context of a path in the Pi family (FORMATS.md, section 3.4):
 *
 *   - The latest compaction on the path stands first, then what it keeps of the
 *     entries before it, then what comes after it. Older ones emit nothing.
 *   - Of the context edits among these entries the last one for a target
 *     changes what the target emits.
 *
 * What an entry emits is its dialect's business.
 */
#ifndef SESSFS_COMPACTED_H
#define SESSFS_COMPACTED_H

#include "core/session/message.h"
#include "core/session/path.h"
#include "core/session/session.h"

struct compaction_rules {
	/* The first entry that a compaction keeps, INDEX_NONE for nothing. */
	uint32_t (*first_kept)(const struct session *s, uint32_t entry,
			       struct json compaction);
	/*
	 * The messages that an entry puts into the context. `edit` is the
	 * latest context edit of this entry, or absent. `kept`: the entry
	 * stands before the compaction that keeps it.
	 */
	int (*messages)(const struct session *s, struct json entry,
			struct json edit, bool kept, struct messages *to);
	/*
	 * The id of the entry that a context edit changes (WTF-8). NULL: the
	 * dialect has no edits.
	 */
	void (*edit_target)(struct buf *out, struct json edit);
};

int compacted_context(const struct session *s, const struct path *p,
		      const struct compaction_rules *rules,
		      struct messages *to);

#endif
