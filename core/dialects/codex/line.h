/*
 * A line of a Codex rollout:
 *
 *     {"timestamp": TEXT, "ordinal": N, "type": TYPE, "payload": {…}}
 *
 * The agent (0.169.0) skips a line that it can't decode as a whole. So does
 * codex_line_read(), which knows for each type what the agent insists on, and
 * that nowhere in a line may be bytes that are not UTF-8, the escape of a lone
 * surrogate, or more than 127 levels. (A legacy thread with bytes that are not
 * UTF-8 can't be opened by the agent at all. Here it can.) A
 * `timestamp` may be any text. `ordinal` may be missing; rollouts of legacy
 * threads have none.
 *
 * An item, a message between agents or a compaction of which only the payload
 * can't be decoded is CODEX_NEWER: a newer version may have written it. It is
 * an entry, since somebody has said it, and in no context.
 */
#ifndef SESSFS_CODEX_LINE_H
#define SESSFS_CODEX_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/json/json.h"

enum codex_kind {
	CODEX_UNKNOWN, /* of no entry, and perhaps skipped by the agent */
	CODEX_INERT,   /* of no entry: it repeats another line, or counts */
	CODEX_META,    /* session_meta */
	CODEX_ITEM,    /* response_item: codex/item.h */
	CODEX_AGENT,   /* inter_agent_communication */
	CODEX_COMPACTED,
	CODEX_TURN,	/* turn_context: the settings of a turn */
	CODEX_ROLLBACK, /* event_msg, thread_rolled_back */
	CODEX_STARTED,	/* event_msg, task_started: of no entry, either */
	CODEX_SAID,	/* event_msg, user_message: the same */
	CODEX_NOTICE,	/* event_msg, one that repeats no other line */
	CODEX_NEWER,	/* an entry that the agent skips */
};

struct codex_line {
	enum codex_kind kind;
	struct json payload;
	struct json timestamp;
	struct json ordinal; /* absent, or an integer from 0 on */
};

/* False if the agent skips the line, and it is not CODEX_NEWER. */
bool codex_line_read(struct json line, struct codex_line *l);

/* The number of a JSON integer from 0 on; false for other values. */
bool codex_integer(struct json v, uint64_t *n);

/* Has the compaction a list that replaces all before it? */
bool codex_has_list(struct json compacted);

#endif
