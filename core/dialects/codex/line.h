/*
 * A line of a Codex rollout:
 *
 *     {"timestamp": TEXT, "ordinal": N, "type": TYPE, "payload": {…}}
 *
 * `ordinal` may be missing; rollouts of legacy threads have none.
 *
 * Lines are read leniently: a payload that the agent (0.171.0) can't decode may
 * be a newer version's, and is shown. The agent skips a line that it can't
 * decode as a whole. So contexts ask codex_line_decodes(), which knows for each
 * type what the agent insists on, and that nowhere in a line may be bytes that
 * are not UTF-8, the escape of a lone surrogate, or more than 127 levels. (A
 * legacy thread with bytes that are not UTF-8 can't be opened by the agent at
 * all. Here it can.)
 */
#ifndef SESSFS_CODEX_LINE_H
#define SESSFS_CODEX_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/json/json.h"

/* The version whose rules are followed. */
#define CODEX_VERSION "0.171.0"

enum codex_kind {
	CODEX_UNKNOWN, /* of no entry, and perhaps skipped by the agent */
	CODEX_INERT,   /* of no entry: it repeats another line, or counts */
	CODEX_META,    /* session_meta */
	CODEX_ITEM,    /* response_item: codex/item.h */
	CODEX_AGENT,   /* inter_agent_communication */
	CODEX_COMPACTED,
	CODEX_TURN,	/* turn_context: the settings of a turn */
	CODEX_ROLLBACK, /* event_msg, thread_rolled_back */
	CODEX_NOTICE,	/* event_msg, one that repeats no other line */
};

struct codex_line {
	enum codex_kind kind;
	struct json type;
	struct json own_type; /* of the payload */
	struct json own_id;
	struct json payload;
	struct json timestamp;
	struct json ordinal; /* absent, or an integer from 0 on */
};

/*
 * False if it is no line of a rollout, or a session_meta that the agent can't
 * decode.
 */
bool codex_line_read(struct json line, struct codex_line *l);

/* Does the agent decode a line that was read? Else it skips it. */
bool codex_line_decodes(struct json line, const struct codex_line *l);

/* The number of a JSON integer from 0 on; false for other values. */
bool codex_integer(struct json v, uint64_t *n);

/* Has the compaction a list that replaces all before it? */
bool codex_has_list(struct json compacted);

#endif
