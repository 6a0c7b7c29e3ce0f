/*
 * What Qwen Code (0.24.4) goes on from: the messages of the records on a path,
 * as contents of parts, before they are posted (context.c). In order:
 *
 *   1. Each record with a message is a content; further parts of a record (see
 *      qwen_is_more()) are at its end. Realtime messages are none.
 *   2. A compression replaces all contents before it by its own.
 *   3. The result of a command whose outputs are all the assistant's takes the
 *      line that it was typed in out again.
 *   4. A turn of the model is its contents in a row, up to one with calls
 *      unless results follow at once. If one of them has no parts, or an empty
 *      text, the turn is dropped.
 *
 * If a record on the path is of another role than user and model, the agent
 * does not load the session: there is no history.
 */
#ifndef SESSFS_QWEN_HISTORY_H
#define SESSFS_QWEN_HISTORY_H

#include "core/dialects/kit/sending.h"

/* Of a piece: a part of a content. One with an id has it as a call. */
enum qwen_kind {
	QWEN_TEXT,
	QWEN_THOUGHT,
	QWEN_MEDIUM,
	QWEN_CALL,
	QWEN_RESULT,
};

struct qwen_content {
	bool model; /* else the user */
	bool dropped;
	bool has_parts; /* also such as say nothing */
	bool invalid;	/* (4) */
	bool calls;	/* has calls with ids */
	bool stands_in; /* for an answer that never came */
	uint32_t entry;
	uint32_t first; /* part; the next content's is behind its last one */
};

/* sending.own begins with it. Zeroed at first; the caller frees the contents.
 */
struct qwen_history {
	struct sending *parts;
	struct qwen_content *contents; /* one more, which ends the list */
	uint32_t n;
	/* private */
	size_t cap;
	bool typed; /* the last content may be a command's line */
	bool fails;
};

/* Load the history of the path. */
sending_pass qwen_load_history;

/* Where the turn of the model (4) ends that begins at a content, if one does.
 */
uint32_t qwen_turn_end(const struct qwen_history *h, uint32_t from);

static inline struct json qwen_part_json(const struct qwen_history *h,
					 uint32_t part)
{
	return sending_json(h->parts, &h->parts->list[part]);
}

#endif
