/*
 * The context of a path in the Pi family:
 *
 *   - The latest compaction on the path is first, then the entries before it
 *     that it keeps, then those after it. Older compactions are not sent.
 *   - Of the context edits among these entries, the last one for a target
 *     changes the messages of that target.
 *
 * The dialect makes the messages of an entry.
 */
#ifndef SESSFS_COMPACTED_H
#define SESSFS_COMPACTED_H

#include "core/session/message.h"
#include "core/session/path.h"
#include "core/session/session.h"

struct compaction_rules {
	/* The first entry that a compaction keeps, or INDEX_NONE. */
	uint32_t (*first_kept)(const struct session *s, uint32_t entry,
			       struct json compaction);
	/*
	 * Send the messages of an entry. `edit` is the last context edit of it,
	 * or absent. `kept`: the entry precedes the compaction that keeps it.
	 */
	int (*messages)(const struct session *s, struct json entry,
			struct json edit, bool kept, struct messages *to);
	/*
	 * The entry that a context edit changes, or INDEX_NONE. NULL: the
	 * dialect has no edits.
	 */
	uint32_t (*edit_target)(const struct session *s, struct json edit);
};

int compacted_context(const struct session *s, const struct path *p,
		      const struct compaction_rules *rules,
		      struct messages *to);

#endif
