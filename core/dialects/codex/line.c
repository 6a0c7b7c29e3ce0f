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
#include "core/dialects/codex/codex.h"

#include "core/base/text.h"
#include "core/json/js.h"
#include "core/json/nesting.h"
#include "core/json/writer.h"

/* The agent's decoder goes no deeper. */
#define MOST_LEVELS 127

bool codex_integer(struct json v, uint64_t *n)
{
	uint64_t sum = 0;
	if (json_type(v) != JSON_NUMBER)
		return false;
	for (size_t i = 0; i < v.raw.n; i++) {
		char c = v.raw.p[i];
		uint64_t more;
		if (c < '0' || c > '9' ||
		    __builtin_mul_overflow(sum, (uint64_t)10, &more) ||
		    __builtin_add_overflow(more, (uint64_t)(c - '0'), &sum))
			return false;
	}
	*n = sum;
	return true;
}

/* Absent, null or an integer. */
static bool is_optional_integer(struct json v)
{
	uint64_t n;
	return js_is_nullish(v) || codex_integer(v, &n);
}

bool codex_has_list(struct json compacted)
{
	return json_type(json_get(compacted, "replacement_history")) ==
	       JSON_ARRAY;
}

static bool is_compacted(struct json payload)
{
	JSON_FIELDS(f, payload, message, replacement_history, window_number);
	if (!json_is_string(f.message) || !is_optional_integer(f.window_number))
		return false;
	if (json_type(f.replacement_history) != JSON_ARRAY)
		return js_is_nullish(f.replacement_history);
	JSON_EACH(item, f.replacement_history) {
		if (!codex_item_decodes(item))
			return false;
	}
	return true;
}

/* A path of an agent: /root, and names below it. */
static bool is_agent_path(struct json v)
{
	static const struct span root = SPAN("\"/root");
	return json_is_string(v) && span_starts(v.raw, root) &&
	       (v.raw.p[root.n] == '/' || v.raw.p[root.n] == '"');
}

static bool is_agent_message(struct json payload)
{
	JSON_FIELDS(f, payload, author, recipient, content, trigger_turn);
	enum json_type trigger = json_type(f.trigger_turn);
	return is_agent_path(f.author) && is_agent_path(f.recipient) &&
	       json_is_string(f.content) &&
	       (trigger == JSON_TRUE || trigger == JSON_FALSE);
}

/* Does the agent decode the payload? */
static bool payload_decodes(const struct codex_line *l)
{
	uint64_t n;
	switch (l->kind) {
	case CODEX_META:
		return json_is_string(json_get(l->payload, "id")) &&
		       json_is_string(json_get(l->payload, "timestamp"));
	case CODEX_ITEM:
		return codex_item_decodes(l->payload);
	case CODEX_AGENT:
		return is_agent_message(l->payload);
	case CODEX_COMPACTED:
		return is_compacted(l->payload);
	case CODEX_ROLLBACK:
		return codex_integer(json_get(l->payload, "num_turns"), &n);
	default:
		return true;
	}
}

static bool is_deep(struct span text)
{
	struct nesting n = { 0 };
	const char *p = text.p;
	while ((p = nesting_next(&n, p, text.p + text.n))) {
		if (n.depth > MOST_LEVELS)
			return true;
	}
	return false;
}

bool codex_line_decodes(struct json line, const struct codex_line *l)
{
	JSON_FIELDS(f, line, timestamp, ordinal, metadata);
	/* What costs most is last: JavaScript's decoder takes more. */
	return json_is_string(f.timestamp) && is_optional_integer(f.ordinal) &&
	       (js_is_nullish(f.metadata) ||
		json_type(f.metadata) == JSON_OBJECT) &&
	       payload_decodes(l) && text_is_utf8(line.raw) &&
	       json_is_well_formed(line.raw) && !is_deep(line.raw);
}

static const struct row {
	struct span word;
	enum codex_kind kind;
} types[] = {
	{ SPAN("response_item"), CODEX_ITEM },
	{ SPAN("event_msg"), CODEX_NOTICE },
	{ SPAN("turn_context"), CODEX_TURN },
	{ SPAN("session_meta"), CODEX_META },
	{ SPAN("inter_agent_communication"), CODEX_AGENT },
	{ SPAN("compacted"), CODEX_COMPACTED },
};

/* The kind of an event_msg: rollouts have these. */
static enum codex_kind kind_of_event(struct json type)
{
	if (JSON_IS(type, "token_count", "agent_message", "agent_reasoning",
		    "agent_reasoning_raw_content", "user_message",
		    "task_started", "turn_started", "task_complete",
		    "turn_complete", "context_compacted"))
		return CODEX_INERT;
	if (json_is(type, SPAN("thread_rolled_back")))
		return CODEX_ROLLBACK;
	return JSON_IS(type, "turn_aborted", "error") ? CODEX_NOTICE
						      : CODEX_UNKNOWN;
}

bool codex_line_read(struct json line, struct codex_line *l)
{
	uint64_t n;
	JSON_FIELDS(f, line, timestamp, ordinal, type, payload);
	*l = (struct codex_line){ .type = f.type,
				  .timestamp = f.timestamp,
				  .payload = f.payload };
	if (codex_integer(f.ordinal, &n))
		l->ordinal = f.ordinal;
	if (!json_is_string(f.type) || json_type(f.payload) != JSON_OBJECT)
		return false;
	JSON_FIELDS(own, f.payload, type, id);
	l->own_type = own.type;
	l->own_id = own.id;
	const struct row *row = JSON_ROW(f.type, types);
	if (row)
		l->kind = row->kind == CODEX_NOTICE ? kind_of_event(own.type)
						    : row->kind;
	return l->kind == CODEX_META
		       ? codex_line_decodes(line, l)
		       : l->kind != CODEX_ITEM || json_is_string(l->own_type);
}
