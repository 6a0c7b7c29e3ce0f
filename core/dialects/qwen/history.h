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

#include "core/base/idset.h"
#include "core/session/path.h"
#include "core/session/session.h"

struct qwen_part {
	enum qwen_kind {
		QWEN_TEXT,
		QWEN_THOUGHT,
		QWEN_MEDIUM,
		QWEN_CALL,
		QWEN_RESULT,
	} kind;
	size_t from; /* its JSON, in qwen_history.json */
	size_t to;
	uint32_t id; /* of a call or result; IDSET_NONE: it has none */
	bool dropped;
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

struct qwen_history {
	const struct session *s;
	struct qwen_part *parts;
	struct qwen_content *contents; /* one more, which ends the list */
	uint32_t n_parts;
	uint32_t n;
	struct buf json;
	struct idset ids; /* of calls and results */
	/* private */
	size_t cap_parts;
	size_t cap;
	bool typed; /* the last content may be a command's line */
	bool fails;
};

/* Load the history of a path. 0 or -errno; the caller frees it either way. */
int qwen_history_load(struct qwen_history *h, const struct path *p);
void qwen_history_free(struct qwen_history *h);

/* Where the turn of the model (4) ends that begins at a content, if one does.
 */
uint32_t qwen_turn_end(const struct qwen_history *h, uint32_t from);

static inline struct json qwen_part_json(const struct qwen_history *h,
					 uint32_t part)
{
	const struct qwen_part *p = &h->parts[part];
	return (struct json){ .raw = { h->json.data + p->from,
				       p->to - p->from } };
}

#endif
