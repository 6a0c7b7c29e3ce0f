#include "core/dialects/codex/item.h"

#include "core/dialects/codex/line.h"
#include "core/json/js.h"

#define ROW(name, type, role) SPAN(name), CODEX_##type, MESSAGE_##role

/* The members of each type after its id, in the agent's order. */
static const struct codex_item_row rows[] = {
	{ ROW("message", MESSAGE, DEVELOPER),
	  { { "status", RULE_MAYBE_TEXT },
	    { "role", RULE_TEXT },
	    { "content", RULE_CONTENT },
	    { "phase", RULE_PHASE },
	    { "encrypted_content", RULE_HIDDEN_TEXT } } },
	{ ROW("agent_message", AGENT_MESSAGE, USER),
	  { { "author", RULE_TEXT },
	    { "recipient", RULE_TEXT },
	    { "content", RULE_AGENT_CONTENT } } },
	{ ROW("reasoning", REASONING, ASSISTANT),
	  { { "summary", RULE_SUMMARIES },
	    { "content", RULE_THOUGHTS },
	    { "encrypted_content", RULE_NULL_TEXT } } },
	{ ROW("local_shell_call", SHELL_CALL, ASSISTANT),
	  { { "call_id", RULE_NULL_TEXT },
	    { "status", RULE_SHELL_STATUS },
	    { "action", RULE_SHELL_ACTION },
	    { "encrypted_content", RULE_HIDDEN_TEXT } } },
	{ ROW("function_call", FUNCTION_CALL, ASSISTANT),
	  { { "status", RULE_MAYBE_TEXT },
	    { "name", RULE_TEXT },
	    { "namespace", RULE_MAYBE_TEXT },
	    { "arguments", RULE_TEXT },
	    { "call_id", RULE_TEXT },
	    { "encrypted_function_args", RULE_HIDDEN_TEXTS },
	    { "encrypted_content", RULE_HIDDEN_TEXT } } },
	{ ROW("tool_search_call", SEARCH_CALL, ASSISTANT),
	  { { "call_id", RULE_NULL_TEXT },
	    { "status", RULE_MAYBE_TEXT },
	    { "execution", RULE_TEXT },
	    { "arguments", RULE_ANY },
	    { "encrypted_content", RULE_HIDDEN_TEXT } } },
	{ ROW("custom_tool_call", CUSTOM_CALL, ASSISTANT),
	  { { "status", RULE_MAYBE_TEXT },
	    { "call_id", RULE_TEXT },
	    { "name", RULE_TEXT },
	    { "namespace", RULE_MAYBE_TEXT },
	    { "input", RULE_TEXT },
	    { "encrypted_content", RULE_HIDDEN_TEXT } } },
	{ ROW("function_call_output", FUNCTION_OUTPUT, TOOL_RESULT),
	  { { "call_id", RULE_MAYBE_TEXT },
	    { "name", RULE_MAYBE_TEXT },
	    { "namespace", RULE_MAYBE_TEXT },
	    { "output", RULE_OUTPUT } } },
	{ ROW("tool_search_output", SEARCH_OUTPUT, TOOL_RESULT),
	  { { "call_id", RULE_NULL_TEXT },
	    { "status", RULE_TEXT },
	    { "execution", RULE_TEXT },
	    { "tools", RULE_VALUES } } },
	{ ROW("custom_tool_call_output", CUSTOM_OUTPUT, TOOL_RESULT),
	  { { "call_id", RULE_TEXT },
	    { "name", RULE_MAYBE_TEXT },
	    { "output", RULE_OUTPUT } } },
	{ ROW("web_search_call", WEB_SEARCH, ASSISTANT),
	  { { "status", RULE_MAYBE_TEXT },
	    { "action", RULE_SEARCH_ACTION },
	    { "encrypted_content", RULE_HIDDEN_TEXT } } },
	{ ROW("image_generation_call", IMAGE, ASSISTANT),
	  { { "status", RULE_TEXT },
	    { "revised_prompt", RULE_MAYBE_TEXT },
	    { "result", RULE_TEXT },
	    { "encrypted_content", RULE_HIDDEN_TEXT } } },
	{ ROW("compaction", COMPACTION, SUMMARY),
	  { { "encrypted_content", RULE_TEXT } } },
	{ ROW("context_compaction", CONTEXT_COMPACTION, SUMMARY),
	  { { "encrypted_content", RULE_MAYBE_TEXT } } },
	{ ROW("additional_tools", TOOLS, SYSTEM),
	  { { "role", RULE_TEXT }, { "tools", RULE_VALUES } } },
};

const struct codex_item_row *codex_item_row(struct json item)
{
	struct json type = json_get(item, "type");
	if (json_is(type, SPAN("compaction_summary")))
		type.raw = SPAN("\"compaction\"");
	return JSON_ROW(type, rows);
}

size_t codex_item_members(const struct codex_item_row *row, struct json item,
			  struct json values[])
{
	const char *names[CODEX_MOST_MEMBERS];
	size_t n = 0;
	for (; n < CODEX_MOST_MEMBERS && row->members[n].name; n++)
		names[n] = row->members[n].name;
	json_get_all(item, n, names, values);
	return n;
}

enum codex_item_type codex_item_type(struct json item)
{
	const struct codex_item_row *row = codex_item_row(item);
	if (row)
		return row->type;
	return json_is_string(json_get(item, "type")) ? CODEX_OTHER
						      : CODEX_NO_ITEM;
}

enum message_role codex_role(struct json item)
{
	const struct codex_item_row *row = codex_item_row(item);
	struct json role = json_get(item, "role");
	if (!row || row->type != CODEX_MESSAGE)
		return row ? row->role : MESSAGE_SYSTEM;
	return json_is(role, SPAN("user"))	  ? MESSAGE_USER
	       : json_is(role, SPAN("assistant")) ? MESSAGE_ASSISTANT
						  : MESSAGE_DEVELOPER;
}

static bool is_maybe(struct json v, enum json_type type)
{
	return js_is_nullish(v) || json_type(v) == type;
}

/* The parts that lists have, each with a text, or NULL for a picture or sound.
 */
static const struct part {
	struct span type;
	const char *text;
	unsigned in; /* the rules of these lists, as bits */
} parts[] = {
#define IN(rule) (1U << (rule))
	{ SPAN("input_text"), "text",
	  IN(RULE_CONTENT) | IN(RULE_AGENT_CONTENT) | IN(RULE_OUTPUT) },
	{ SPAN("output_text"), "text", IN(RULE_CONTENT) },
	{ SPAN("input_image"), NULL, IN(RULE_CONTENT) | IN(RULE_OUTPUT) },
	{ SPAN("input_audio"), NULL, IN(RULE_CONTENT) | IN(RULE_OUTPUT) },
	{ SPAN("encrypted_content"), "encrypted_content",
	  IN(RULE_AGENT_CONTENT) | IN(RULE_OUTPUT) },
	{ SPAN("summary_text"), "text", IN(RULE_SUMMARIES) },
	{ SPAN("reasoning_text"), "text", IN(RULE_THOUGHTS) },
	{ SPAN("text"), "text", IN(RULE_THOUGHTS) },
#undef IN
};

static bool is_medium(struct json part)
{
	JSON_FIELDS(f, part, type, image_url, audio_url, file_id, detail);
	if (json_is(f.type, SPAN("input_audio")))
		return json_is_string(f.audio_url) || json_is_string(f.file_id);
	return (json_is_string(f.image_url) || json_is_string(f.file_id)) &&
	       (js_is_nullish(f.detail) ||
		JSON_IS(f.detail, "auto", "low", "high", "original"));
}

static bool are_parts(struct json list, enum codex_rule rule)
{
	if (json_type(list) != JSON_ARRAY)
		return false;
	JSON_EACH(v, list) {
		JSON_FIELDS(f, v, type, annotations);
		const struct part *part = JSON_ROW(f.type, parts);
		if (!part || !(part->in & 1U << rule) ||
		    !(part->text ? json_is_string(json_get(v, part->text))
				 : is_medium(v)) ||
		    (json_is(f.type, SPAN("output_text")) &&
		     !is_maybe(f.annotations, JSON_ARRAY)))
			return false;
	}
	return true;
}

static bool are_strings(struct json list)
{
	JSON_EACH(v, list) {
		if (!json_is_string(v))
			return false;
	}
	return json_type(list) == JSON_ARRAY;
}

static bool is_shell_action(struct json action)
{
	uint64_t n;
	JSON_FIELDS(f, action, type, command, timeout_ms, working_directory,
		    env, user);
	return json_is(f.type, SPAN("exec")) && are_strings(f.command) &&
	       (js_is_nullish(f.timeout_ms) ||
		codex_integer(f.timeout_ms, &n)) &&
	       is_maybe(f.working_directory, JSON_STRING) &&
	       is_maybe(f.env, JSON_OBJECT) && is_maybe(f.user, JSON_STRING);
}

static bool is_valid(struct json v, enum codex_rule rule)
{
	switch (rule) {
	case RULE_TEXT:
		return json_is_string(v);
	case RULE_MAYBE_TEXT:
	case RULE_NULL_TEXT:
	case RULE_HIDDEN_TEXT:
		return is_maybe(v, JSON_STRING);
	case RULE_HIDDEN_TEXTS:
		return js_is_nullish(v) || are_strings(v);
	case RULE_ANY:
		return true;
	case RULE_VALUES:
		return json_type(v) == JSON_ARRAY;
	case RULE_PHASE:
		return js_is_nullish(v) ||
		       JSON_IS(v, "commentary", "partial_answer",
			       "final_answer");
	case RULE_SHELL_STATUS:
		return JSON_IS(v, "completed", "in_progress", "incomplete");
	case RULE_THOUGHTS:
		return js_is_nullish(v) || are_parts(v, rule);
	case RULE_OUTPUT:
		return json_is_string(v) || are_parts(v, rule);
	case RULE_CONTENT:
	case RULE_AGENT_CONTENT:
	case RULE_SUMMARIES:
		return are_parts(v, rule);
	case RULE_SHELL_ACTION:
		return is_shell_action(v);
	case RULE_SEARCH_ACTION:
		return js_is_nullish(v) || json_is_string(json_get(v, "type"));
	}
	return false;
}

bool codex_item_decodes(struct json item)
{
	struct json v[CODEX_MOST_MEMBERS];
	const struct codex_item_row *row = codex_item_row(item);
	JSON_FIELDS(f, item, type, id,
		    internal_chat_message_metadata_passthrough);
	if (!row)
		return json_is_string(f.type);
	if (!is_maybe(f.id, JSON_STRING) ||
	    (row->type != CODEX_TOOLS &&
	     !is_maybe(f.internal_chat_message_metadata_passthrough,
		       JSON_OBJECT)))
		return false;
	for (size_t n = codex_item_members(row, item, v); n > 0; n--) {
		if (!is_valid(v[n - 1], row->members[n - 1].rule))
			return false;
	}
	return true;
}
