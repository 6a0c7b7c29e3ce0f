#include "core/dialects/codex/line.h"

#include "core/base/text.h"
#include "core/dialects/codex/item.h"
#include "core/json/js.h"
#include "core/json/nesting.h"
#include "core/json/surrogates.h"

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

static bool is_string(struct json v)
{
	return json_type(v) == JSON_STRING;
}

bool codex_has_list(struct json compacted)
{
	return json_type(json_get(compacted, "replacement_history")) ==
	       JSON_ARRAY;
}

static bool is_compacted(struct json payload)
{
	struct json item;
	JSON_FIELDS(f, payload, message, replacement_history, window_number);
	struct json_walk w = json_walk(f.replacement_history);
	if (!is_string(f.message) || !is_optional_integer(f.window_number))
		return false;
	if (json_type(f.replacement_history) != JSON_ARRAY)
		return js_is_nullish(f.replacement_history);
	while (json_next_element(&w, &item)) {
		if (codex_item_type(item) == CODEX_NO_ITEM)
			return false;
	}
	return true;
}

/* A path of an agent: /root, and names below it. */
static bool is_agent_path(struct json v)
{
	static const struct span root = SPAN("\"/root");
	return is_string(v) && span_starts(v.raw, root) &&
	       (v.raw.p[root.n] == '/' || v.raw.p[root.n] == '"');
}

static bool is_agent_message(struct json payload)
{
	JSON_FIELDS(f, payload, author, recipient, content, trigger_turn);
	enum json_type trigger = json_type(f.trigger_turn);
	return is_agent_path(f.author) && is_agent_path(f.recipient) &&
	       is_string(f.content) &&
	       (trigger == JSON_TRUE || trigger == JSON_FALSE);
}

static enum codex_kind event_kind(struct json payload)
{
	uint64_t n;
	JSON_FIELDS(f, payload, type, num_turns);
	if (json_is(f.type, SPAN("thread_rolled_back")))
		return codex_integer(f.num_turns, &n) ? CODEX_ROLLBACK
						      : CODEX_INERT;
	if (JSON_IS(f.type, "task_started", "turn_started"))
		return CODEX_STARTED;
	if (json_is(f.type, SPAN("user_message")))
		return CODEX_SAID;
	if (JSON_IS(f.type, "error", "turn_aborted"))
		return CODEX_NOTICE;
	/* Of those that rollouts have. */
	if (JSON_IS(f.type, "agent_message", "agent_reasoning", "token_count",
		    "task_complete", "context_compacted", "turn_complete",
		    "agent_reasoning_raw_content"))
		return CODEX_INERT;
	return CODEX_UNKNOWN;
}

static bool is_meta(struct json payload)
{
	return is_string(json_get(payload, "id")) &&
	       is_string(json_get(payload, "timestamp"));
}

/* What the payload is not decoded as may be a newer version's. */
static bool read_decoded(bool decoded, struct codex_line *l)
{
	if (!decoded)
		l->kind = CODEX_NEWER;
	return true;
}

/* False if the payload is not what the type needs. */
static bool read_payload(struct json type, struct codex_line *l)
{
	static const struct row {
		struct span type;
		enum codex_kind kind;
	} kinds[] = {
		{ SPAN("session_meta"), CODEX_META },
		{ SPAN("response_item"), CODEX_ITEM },
		{ SPAN("inter_agent_communication"), CODEX_AGENT },
		{ SPAN("compacted"), CODEX_COMPACTED },
		{ SPAN("turn_context"), CODEX_TURN },
		{ SPAN("event_msg"), CODEX_NOTICE },
	};
	const struct row *row = JSON_ROW(type, kinds);
	if (row)
		l->kind = row->kind;
	switch (l->kind) {
	case CODEX_META:
		return is_meta(l->payload);
	case CODEX_ITEM:
		return is_string(json_get(l->payload, "type")) &&
		       read_decoded(
			       codex_item_type(l->payload) != CODEX_NO_ITEM, l);
	case CODEX_AGENT:
		return read_decoded(is_agent_message(l->payload), l);
	case CODEX_COMPACTED:
		return read_decoded(is_compacted(l->payload), l);
	case CODEX_NOTICE:
		l->kind = event_kind(l->payload);
		return true;
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

/* Is it text that the agent's decoder takes? JavaScript's takes more. */
static bool is_strict(struct span text)
{
	return text_is_utf8(text) && json_is_well_formed(text) &&
	       !is_deep(text);
}

bool codex_line_read(struct json line, struct codex_line *l)
{
	JSON_FIELDS(f, line, timestamp, ordinal, type, payload, metadata);
	*l = (struct codex_line){ .timestamp = f.timestamp,
				  .payload = f.payload,
				  .ordinal = f.ordinal };
	if (json_type(f.ordinal) == JSON_NULL)
		l->ordinal = (struct json){ 0 };
	/* What costs most is last: other files are asked, too (detect.h). */
	return is_string(f.timestamp) && is_string(f.type) &&
	       is_optional_integer(f.ordinal) &&
	       json_type(f.payload) == JSON_OBJECT &&
	       (js_is_nullish(f.metadata) ||
		json_type(f.metadata) == JSON_OBJECT) &&
	       read_payload(f.type, l) && is_strict(line.raw);
}
