/*
 * The items of a Codex rollout: what the agent sends to the model, as the
 * Responses API has them. They are in lines of type response_item, and in the
 * lists of compactions.
 *
 * The agent decodes an item into a structure of its type and posts that again.
 * So unknown members are dropped, and codex_item_write() writes what is left,
 * as 0.171.0 posts it to a provider of its configuration:
 *
 *   - without `metadata`, `internal_chat_message_metadata_passthrough`, and
 *     `encrypted_content` where that is not the content itself
 *   - without members that are null, but for those that are null when they are
 *     missing, too: encrypted_content and content of reasoning, the call_id of
 *     some calls, and the members of a shell's action
 *   - with an `id` only if it has a prefix: msg_1
 *   - with pictures and sounds as in medium.c
 *   - with compaction_summary as another name of compaction
 *
 * The agent also scales pictures of more than 2048 pixels, makes PNGs of GIFs,
 * and cuts long outputs as its model wants it. That is not done here, but for
 * what outputs in lines always lose: texts that are empty, and sounds that are
 * files of the API, of which a text behind says how many there were.
 */
#include "core/dialects/codex/codex.h"

#include <stdio.h>

#include "core/json/js.h"

/* What a member has to be, and how it is written. */
enum rule {
	RULE_TEXT,	    /* a string */
	RULE_MAYBE_TEXT,    /* a string, null or missing */
	RULE_NULL_TEXT,	    /* the same; null where it is missing */
	RULE_HIDDEN_TEXT,   /* the same; never written */
	RULE_HIDDEN_TEXTS,  /* an array of strings, null or missing; never
			       written */
	RULE_ANY,	    /* any value, null if it is missing */
	RULE_VALUES,	    /* an array of any values */
	RULE_PHASE,	    /* of a message, null or missing */
	RULE_SHELL_STATUS,  /* of a shell's call */
	RULE_CONTENT,	    /* parts of a message */
	RULE_AGENT_CONTENT, /* parts of an agent's message */
	RULE_OUTPUT,	    /* a string, or parts */
	RULE_SUMMARIES,	    /* of reasoning */
	RULE_THOUGHTS,	    /* of reasoning: parts, null or missing */
	RULE_SHELL_ACTION,
	RULE_SEARCH_ACTION, /* null or missing, or an object with a type */
};

#define MOST_MEMBERS 8

/* A type of items. Each has an id, too. */
struct item_row {
	struct span name;
	enum codex_item_type type;
	enum message_role role; /* of messages, their own role counts */
	struct member {
		const char *name;
		enum rule rule;
	} members[MOST_MEMBERS];
};

#define ROW(name, type, role) SPAN(name), CODEX_##type, MESSAGE_##role

/* The members of each type after its id, in the agent's order. */
static const struct item_row rows[] = {
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

/* The row of an item; NULL for a type that is never sent. */
static const struct item_row *row_of(struct json item)
{
	struct json type = json_get(item, "type");
	if (json_is(type, SPAN("compaction_summary")))
		type.raw = SPAN("\"compaction\"");
	return JSON_ROW(type, rows);
}

/* Read the members of a row. Returns how many it has. */
static size_t read_members(const struct item_row *row, struct json item,
			   struct json values[])
{
	const char *names[MOST_MEMBERS];
	size_t n = 0;
	for (; n < MOST_MEMBERS && row->members[n].name; n++)
		names[n] = row->members[n].name;
	json_get_all(item, n, names, values);
	return n;
}

enum codex_item_type codex_item_type(struct json item)
{
	const struct item_row *row = row_of(item);
	if (row)
		return row->type;
	return json_is_string(json_get(item, "type")) ? CODEX_OTHER
						      : CODEX_NO_ITEM;
}

enum message_role codex_role(struct json item)
{
	const struct item_row *row = row_of(item);
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

static bool are_parts(struct json list, enum rule rule)
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

static bool is_valid(struct json v, enum rule rule)
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
	struct json v[MOST_MEMBERS];
	const struct item_row *row = row_of(item);
	JSON_FIELDS(f, item, type, id,
		    internal_chat_message_metadata_passthrough);
	if (!row)
		return json_is_string(f.type);
	if (!is_maybe(f.id, JSON_STRING) ||
	    (row->type != CODEX_TOOLS &&
	     !is_maybe(f.internal_chat_message_metadata_passthrough,
		       JSON_OBJECT)))
		return false;
	for (size_t n = read_members(row, item, v); n > 0; n--) {
		if (!is_valid(v[n - 1], row->members[n - 1].rule))
			return false;
	}
	return true;
}

/* -- as it is posted */

/* Has the id something before and after a first "_"? */
static bool has_prefix(struct json id)
{
	struct buf text BUF_SCOPED = { 0 };
	json_decode(&text, id);
	const char *mark =
		text.len > 0 ? memchr(text.data, '_', text.len) : NULL;
	return mark && mark > text.data && mark + 1 < text.data + text.len;
}

void codex_write_text(struct json_writer *w, struct span text)
{
	json_begin_object(w, NULL);
	json_write_word(w, "type", "input_text");
	json_write_string(w, "text", text);
	json_end_object(w);
}

void codex_write_quoted(struct json_writer *w, struct json text)
{
	json_begin_object(w, NULL);
	json_write_word(w, "type", "input_text");
	json_write_value(w, "text", text);
	json_end_object(w);
}

/* Write these members of an object; null for those that are missing. */
static void write_members(struct json_writer *w, struct json object,
			  const char *const *names, bool nulls)
{
	for (; *names; names++) {
		struct json v = json_get(object, *names);
		if (!js_is_nullish(v))
			json_write_value(w, *names, v);
		else if (nulls)
			json_write_null(w, *names);
	}
}

static void write_part(struct json_writer *w, struct json part)
{
	static const char *const names[] = {
		"type", "text", "annotations", "logprobs", "encrypted_content",
		NULL
	};
	struct json type = json_get(part, "type");
	if (json_is(type, SPAN("input_image"))) {
		codex_write_picture(w, part);
		return;
	}
	if (json_is(type, SPAN("input_audio"))) {
		codex_write_sound(w, part);
		return;
	}
	json_begin_object(w, NULL);
	write_members(w, part, names, false);
	json_end_object(w);
}

/* An output that is cut loses what is empty, and whose size is not known. */
static void write_parts(struct json_writer *w, const char *key,
			struct json list, bool cut)
{
	char text[64];
	unsigned omitted = 0;
	if (json_is_string(list)) {
		json_write_value(w, key, list);
		return;
	}
	json_begin_array(w, key);
	JSON_EACH(part, list) {
		if (cut && codex_is_sound_file(part))
			omitted++;
		else if (!cut ||
			 !json_is(json_get(part, "type"), SPAN("input_text")) ||
			 json_truthy(json_get(part, "text")))
			write_part(w, part);
	}
	if (omitted > 0) {
		snprintf(text, sizeof(text), "[omitted %u audio items ...]",
			 omitted);
		codex_write_text(w, span_of(text));
	}
	json_end_array(w);
}

/* Missing is null, and a list without a reasoning_text is left out. */
static void write_thoughts(struct json_writer *w, const char *key,
			   struct json list)
{
	bool any = false;
	if (js_is_nullish(list)) {
		json_write_null(w, key);
		return;
	}
	JSON_EACH_WHILE(!any, part, list)
		any = json_is(json_get(part, "type"), SPAN("reasoning_text"));
	if (any)
		write_parts(w, key, list, false);
}

static void write_shell_action(struct json_writer *w, const char *key,
			       struct json action)
{
	static const char *const names[] = { "type",	   "command",
					     "timeout_ms", "working_directory",
					     "env",	   "user",
					     NULL };
	json_begin_object(w, key);
	write_members(w, action, names, true);
	json_end_object(w);
}

static void write_search_action(struct json_writer *w, const char *key,
				struct json action)
{
	static const struct row {
		struct span type;
		const char *names[4];
	} known[] = {
		{ SPAN("search"), { "type", "query", "queries" } },
		{ SPAN("open_page"), { "type", "url" } },
		{ SPAN("find_in_page"), { "type", "url", "pattern" } },
	};
	const struct row *row = JSON_ROW(json_get(action, "type"), known);
	if (js_is_nullish(action))
		return;
	json_begin_object(w, key);
	if (row)
		write_members(w, action, row->names, false);
	else
		json_write_word(w, "type", "other");
	json_end_object(w);
}

static void write_member(struct json_writer *w, const struct member *m,
			 struct json v, bool listed)
{
	switch (m->rule) {
	case RULE_TEXT:
	case RULE_VALUES:
	case RULE_SHELL_STATUS:
	case RULE_MAYBE_TEXT:
	case RULE_PHASE:
		if (!js_is_nullish(v))
			json_write_value(w, m->name, v);
		break;
	case RULE_NULL_TEXT:
	case RULE_ANY:
		if (js_is_nullish(v))
			json_write_null(w, m->name);
		else
			json_write_value(w, m->name, v);
		break;
	case RULE_OUTPUT:
	case RULE_CONTENT:
	case RULE_AGENT_CONTENT:
	case RULE_SUMMARIES:
		write_parts(w, m->name, v, m->rule == RULE_OUTPUT && !listed);
		break;
	case RULE_THOUGHTS:
		write_thoughts(w, m->name, v);
		break;
	case RULE_SHELL_ACTION:
		write_shell_action(w, m->name, v);
		break;
	case RULE_SEARCH_ACTION:
		write_search_action(w, m->name, v);
		break;
	case RULE_HIDDEN_TEXT:
	case RULE_HIDDEN_TEXTS:
		break;
	}
}

void codex_item_write(struct json_writer *w, struct json item, bool listed)
{
	const struct item_row *row = row_of(item);
	json_begin_object(w, NULL);
	json_write_string(w, "type", row ? row->name : SPAN("other"));
	if (row) {
		struct json v[MOST_MEMBERS];
		struct json id = json_get(item, "id");
		size_t n = read_members(row, item, v);
		if (has_prefix(id))
			json_write_value(w, "id", id);
		for (size_t i = 0; i < n; i++)
			write_member(w, &row->members[i], v[i], listed);
	}
	json_end_object(w);
}
