/*
 * What another agent is told of an item that Codex would post (core/as/):
 *
 *   message             The user's, without parts that are notes (fragment.h),
 *                       and the assistant's. Those of the developer are not.
 *   agent_message       A message of the user.
 *   reasoning           What is readable of it.
 *   calls, and outputs  So they are. The tools that a search has found are the
 *                       agent's own, and left out.
 *   web_search_call     It has no id and no output, so it is not a call.
 *   image_generation_call   A picture of the assistant.
 *   compaction          That there was one, where all that it replaced is not
 *                       on the path: it can be read by its maker alone.
 *
 * An item has the time of its line. Those in the list of a compaction have that
 * of the compaction.
 */
#ifndef SESSFS_CODEX_TAKEN_H
#define SESSFS_CODEX_TAKEN_H

#include "core/dialects/codex/item.h"
#include "core/session/message.h"

/* Tell it, with its time in ms, or 0. 0 or -ENOMEM. */
int codex_take(struct messages *to, struct json item, enum codex_item_type type,
	       int64_t when);

#endif
