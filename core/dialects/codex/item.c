#include "core/dialects/codex/item.h"

#include "core/base/base64.h"
#include "core/dialects/codex/line.h"
#include "core/json/js.h"

/* What a member has to be, and how it is written. */
enum rule {
	TEXT,	       /* a string */
	MAYBE_TEXT,    /* a string, null or missing */
	NULL_TEXT,     /* the same; null where it is missing */
	HIDDEN_TEXT,   /* the same; never written */
	HIDDEN_TEXTS,  /* an array of strings, null or missing */
	HIDDEN_OBJECT, /* an object, null or missing */
	ID,	       /* a string, null or missing; see has_prefix() */
	ANY,	       /* any value, null if it is missing */
	VALUES,	       /* an array of any values */
	PHASE,	       /* of a message, null or missing */
	SHELL_STATUS,  /* of a shell's call */
	CONTENT,       /* parts of a message */
	AGENT_CONTENT, /* parts of an agent's message */
	OUTPUT,	       /* a string, or parts */
	SUMMARIES,     /* of reasoning */
	THOUGHTS,      /* of reasoning: parts, null or missing */
	SHELL_ACTION,
	SEARCH_ACTION, /* null or missing, or an object with a type */
};

struct member {
	const char *name;
	enum rule rule;
};

#define MOST_MEMBERS 10
#define HIDDEN                                                              \
	{                                                                   \
		"internal_chat_message_metadata_passthrough", HIDDEN_OBJECT \
	}

/* The members of each type, in the agent's order. */
static const struct type {
	struct span name;
	enum codex_item_type type;
	struct member members[MOST_MEMBERS];
} types[] = {
	{ SPAN("message"),
	  CODEX_MESSAGE,
	  { { "id", ID },
	    { "status", MAYBE_TEXT },
	    { "role", TEXT },
	    { "content", CONTENT },
	    { "phase", PHASE },
	    { "encrypted_content", HIDDEN_TEXT },
	    HIDDEN } },
	{ SPAN("agent_message"),
	  CODEX_AGENT_MESSAGE,
	  { { "id", ID },
	    { "author", TEXT },
	    { "recipient", TEXT },
	    { "content", AGENT_CONTENT },
	    HIDDEN } },
	{ SPAN("reasoning"),
	  CODEX_REASONING,
	  { { "id", ID },
	    { "summary", SUMMARIES },
	    { "content", THOUGHTS },
	    { "encrypted_content", NULL_TEXT },
	    HIDDEN } },
	{ SPAN("local_shell_call"),
	  CODEX_SHELL_CALL,
	  { { "id", ID },
	    { "call_id", NULL_TEXT },
	    { "status", SHELL_STATUS },
	    { "action", SHELL_ACTION },
	    { "encrypted_content", HIDDEN_TEXT },
	    HIDDEN } },
	{ SPAN("function_call"),
	  CODEX_FUNCTION_CALL,
	  { { "id", ID },
	    { "status", MAYBE_TEXT },
	    { "name", TEXT },
	    { "namespace", MAYBE_TEXT },
	    { "arguments", TEXT },
	    { "call_id", TEXT },
	    { "encrypted_function_args", HIDDEN_TEXTS },
	    { "encrypted_content", HIDDEN_TEXT },
	    HIDDEN } },
	{ SPAN("tool_search_call"),
	  CODEX_SEARCH_CALL,
	  { { "id", ID },
	    { "call_id", NULL_TEXT },
	    { "status", MAYBE_TEXT },
	    { "execution", TEXT },
	    { "arguments", ANY },
	    { "encrypted_content", HIDDEN_TEXT },
	    HIDDEN } },
	{ SPAN("custom_tool_call"),
	  CODEX_CUSTOM_CALL,
	  { { "id", ID },
	    { "status", MAYBE_TEXT },
	    { "call_id", TEXT },
	    { "name", TEXT },
	    { "namespace", MAYBE_TEXT },
	    { "input", TEXT },
	    { "encrypted_content", HIDDEN_TEXT },
	    HIDDEN } },
	{ SPAN("function_call_output"),
	  CODEX_FUNCTION_OUTPUT,
	  { { "id", ID },
	    { "call_id", MAYBE_TEXT },
	    { "name", MAYBE_TEXT },
	    { "namespace", MAYBE_TEXT },
	    { "output", OUTPUT },
	    HIDDEN } },
	{ SPAN("tool_search_output"),
	  CODEX_SEARCH_OUTPUT,
	  { { "id", ID },
	    { "call_id", NULL_TEXT },
	    { "status", TEXT },
	    { "execution", TEXT },
	    { "tools", VALUES },
	    HIDDEN } },
	{ SPAN("custom_tool_call_output"),
	  CODEX_CUSTOM_OUTPUT,
	  { { "id", ID },
	    { "call_id", TEXT },
	    { "name", MAYBE_TEXT },
	    { "output", OUTPUT },
	    HIDDEN } },
	{ SPAN("web_search_call"),
	  CODEX_WEB_SEARCH,
	  { { "id", ID },
	    { "status", MAYBE_TEXT },
	    { "action", SEARCH_ACTION },
	    { "encrypted_content", HIDDEN_TEXT },
	    HIDDEN } },
	{ SPAN("image_generation_call"),
	  CODEX_IMAGE,
	  { { "id", ID },
	    { "status", TEXT },
	    { "revised_prompt", MAYBE_TEXT },
	    { "result", TEXT },
	    { "encrypted_content", HIDDEN_TEXT },
	    HIDDEN } },
	{ SPAN("compaction"),
	  CODEX_COMPACTION,
	  { { "id", ID }, { "encrypted_content", TEXT }, HIDDEN } },
	{ SPAN("context_compaction"),
	  CODEX_CONTEXT_COMPACTION,
	  { { "id", ID }, { "encrypted_content", MAYBE_TEXT }, HIDDEN } },
	{ SPAN("additional_tools"),
	  CODEX_TOOLS,
	  { { "id", ID }, { "role", TEXT }, { "tools", VALUES } } },
};

/* NULL for a type that is never sent. */
static const struct type *type_of(struct json item)
{
	return JSON_ROW(json_get(item, "type"), types);
}

static size_t count(const struct type *t, const char *names[])
{
	size_t n = 0;
	for (; n < MOST_MEMBERS && t->members[n].name; n++)
		names[n] = t->members[n].name;
	return n;
}

static bool is_string(struct json v)
{
	return json_type(v) == JSON_STRING;
}

static bool is_maybe_string(struct json v)
{
	return js_is_nullish(v) || is_string(v);
}

/* Is it an array whose elements are all so? */
static bool are(struct json list, bool (*is)(struct json v))
{
	struct json_walk w = json_walk(list);
	struct json v;
	if (json_type(list) != JSON_ARRAY)
		return false;
	while (json_next_element(&w, &v)) {
		if (!is(v))
			return false;
	}
	return true;
}

static bool are_or_missing(struct json list, bool (*is)(struct json v))
{
	return js_is_nullish(list) || are(list, is);
}

/* A part of these types, each with its text. */
static bool has_text(struct json part, const char *const *part_types,
		     const char *text)
{
	return json_is_one(json_get(part, "type"), part_types) &&
	       is_string(json_get(part, text));
}

static bool is_picture(struct json part)
{
	static const char *const details[] = { "auto", "low", "high",
					       "original", NULL };
	JSON_FIELDS(f, part, type, image_url, file_id, detail);
	return json_is(f.type, SPAN("input_image")) &&
	       (is_string(f.image_url) || is_string(f.file_id)) &&
	       (js_is_nullish(f.detail) || json_is_one(f.detail, details));
}

static bool is_sound(struct json part)
{
	JSON_FIELDS(f, part, type, audio_url, file_id);
	return json_is(f.type, SPAN("input_audio")) &&
	       (is_string(f.audio_url) || is_string(f.file_id));
}

static const char *const encrypted_types[] = { "encrypted_content", NULL };

static bool is_encrypted(struct json part)
{
	return has_text(part, encrypted_types, "encrypted_content");
}

static bool is_content_part(struct json part)
{
	static const char *const text[] = { "input_text", NULL };
	static const char *const out[] = { "output_text", NULL };
	struct json list = json_get(part, "annotations");
	if (has_text(part, out, "text"))
		return js_is_nullish(list) || json_type(list) == JSON_ARRAY;
	return has_text(part, text, "text") || is_picture(part) ||
	       is_sound(part);
}

static bool is_agent_part(struct json part)
{
	static const char *const text[] = { "input_text", NULL };
	return has_text(part, text, "text") || is_encrypted(part);
}

static bool is_output_part(struct json part)
{
	static const char *const text[] = { "input_text", NULL };
	return has_text(part, text, "text") || is_encrypted(part) ||
	       is_picture(part) || is_sound(part);
}

static bool is_summary(struct json part)
{
	static const char *const text[] = { "summary_text", NULL };
	return has_text(part, text, "text");
}

static bool is_thought(struct json part)
{
	static const char *const text[] = { "reasoning_text", "text", NULL };
	return has_text(part, text, "text");
}

static bool is_shell_action(struct json action)
{
	uint64_t n;
	JSON_FIELDS(f, action, type, command, timeout_ms, working_directory,
		    env, user);
	return json_is(f.type, SPAN("exec")) && are(f.command, is_string) &&
	       (js_is_nullish(f.timeout_ms) ||
		codex_integer(f.timeout_ms, &n)) &&
	       is_maybe_string(f.working_directory) &&
	       (js_is_nullish(f.env) || json_type(f.env) == JSON_OBJECT) &&
	       is_maybe_string(f.user);
}

static bool is_valid(struct json v, enum rule rule)
{
	static const char *const phases[] = { "commentary", "partial_answer",
					      "final_answer", NULL };
	static const char *const statuses[] = { "completed", "in_progress",
						"incomplete", NULL };
	switch (rule) {
	case TEXT:
		return is_string(v);
	case MAYBE_TEXT:
	case NULL_TEXT:
	case HIDDEN_TEXT:
	case ID:
		return is_maybe_string(v);
	case HIDDEN_TEXTS:
		return are_or_missing(v, is_string);
	case HIDDEN_OBJECT:
		return js_is_nullish(v) || json_type(v) == JSON_OBJECT;
	case ANY:
		return true;
	case VALUES:
		return json_type(v) == JSON_ARRAY;
	case PHASE:
		return js_is_nullish(v) || json_is_one(v, phases);
	case SHELL_STATUS:
		return json_is_one(v, statuses);
	case CONTENT:
		return are(v, is_content_part);
	case AGENT_CONTENT:
		return are(v, is_agent_part);
	case OUTPUT:
		return is_string(v) || are(v, is_output_part);
	case SUMMARIES:
		return are(v, is_summary);
	case THOUGHTS:
		return are_or_missing(v, is_thought);
	case SHELL_ACTION:
		return is_shell_action(v);
	case SEARCH_ACTION:
		return js_is_nullish(v) || is_string(json_get(v, "type"));
	}
	return false;
}

enum codex_item_type codex_item_type(struct json item)
{
	const struct type *t = type_of(item);
	if (t)
		return t->type;
	return is_string(json_get(item, "type")) ? CODEX_OTHER : CODEX_NO_ITEM;
}

bool codex_item_decodes(struct json item)
{
	const char *names[MOST_MEMBERS];
	struct json f[MOST_MEMBERS];
	const struct type *t = type_of(item);
	if (!t)
		return is_string(json_get(item, "type"));
	size_t n = count(t, names);
	json_get_all(item, n, names, f);
	for (size_t i = 0; i < n; i++) {
		if (!is_valid(f[i], t->members[i].rule))
			return false;
	}
	return true;
}

/* Has the id something before and after a first "_"? */
static bool has_prefix(struct json id)
{
	struct buf text = { 0 };
	json_decode(&text, id);
	const char *mark =
		text.len > 0 ? memchr(text.data, '_', text.len) : NULL;
	bool has = mark && mark > text.data && mark + 1 < text.data + text.len;
	buf_free(&text);
	return has;
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

/* The base64 of a data URL; false if it is none. */
static bool find_data(struct span url, struct span *data)
{
	static const struct span mark = SPAN(";base64,");
	const char *found = NULL;
	if (span_starts(url, SPAN("data:")))
		found = memmem(url.p, url.n, mark.p, mark.n);
	if (!found)
		return false;
	data->p = found + mark.n;
	data->n = url.n - (size_t)(data->p - url.p);
	return true;
}

bool codex_item_picture(struct buf *out, struct json url)
{
	struct buf text = { 0 };
	struct span data;
	json_decode(&text, url);
	bool found = find_data(buf_span(&text), &data);
	if (found)
		base64_decode(out, data);
	buf_free_into(&text, out);
	return found;
}

/* Does it begin as a picture of a format that the agent knows? */
static bool is_known_picture(struct json url)
{
	static const struct span starts[] = {
		SPAN("\x89PNG\r\n\x1a\n"),
		SPAN("\xff\xd8\xff"),
		SPAN("GIF8"),
		SPAN("RIFF"),
	};
	struct buf bytes = { 0 };
	bool known = false;
	if (codex_item_picture(&bytes, url)) {
		for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
			known = known ||
				span_starts(buf_span(&bytes), starts[i]);
	}
	buf_free(&bytes);
	return known;
}

/* The text that the agent sends in place of a picture, or NULL. */
static const char *find_fault(struct json url, struct json detail)
{
	if (json_is(detail, SPAN("low")))
		return "image content omitted because detail 'low' is not "
		       "supported; use 'high', 'original', or 'auto'";
	if (!is_string(url))
		return NULL;
	if (!span_starts(url.raw, SPAN("\"data:")))
		return "image content omitted because remote image URLs are "
		       "not supported";
	if (!is_known_picture(url))
		return "image content omitted because it could not be "
		       "processed";
	return NULL;
}

static void write_picture(struct json_writer *w, struct json part)
{
	JSON_FIELDS(f, part, image_url, file_id, detail);
	const char *fault = find_fault(f.image_url, f.detail);
	if (fault) {
		codex_write_text(w, span_of(fault));
		return;
	}
	json_begin_object(w, NULL);
	json_write_word(w, "type", "input_image");
	if (is_string(f.image_url))
		json_write_value(w, "image_url", f.image_url);
	else
		json_write_value(w, "file_id", f.file_id);
	if (json_is(f.detail, SPAN("original")))
		json_write_word(w, "detail", "high");
	else if (is_string(f.detail))
		json_write_value(w, "detail", f.detail);
	json_end_object(w);
}

static void write_part(struct json_writer *w, struct json part)
{
	static const char *const names[] = { "text", "annotations", "logprobs",
					     "encrypted_content" };
	struct json type = json_get(part, "type");
	struct json f[4];
	if (json_is(type, SPAN("input_image"))) {
		write_picture(w, part);
		return;
	}
	if (json_is(type, SPAN("input_audio"))) {
		codex_write_text(w,
				 SPAN("audio content omitted because it could "
				      "not be processed"));
		return;
	}
	json_begin_object(w, NULL);
	json_write_value(w, "type", type);
	json_get_all(part, 4, names, f);
	for (size_t i = 0; i < 4; i++) {
		if (!js_is_nullish(f[i]))
			json_write_value(w, names[i], f[i]);
	}
	json_end_object(w);
}

static bool is_empty_text(struct json part)
{
	return json_is(json_get(part, "type"), SPAN("input_text")) &&
	       !json_truthy(json_get(part, "text"));
}

static void write_parts(struct json_writer *w, const char *key,
			struct json list, bool empty_too)
{
	struct json_walk parts = json_walk(list);
	struct json part;
	if (is_string(list)) {
		json_write_value(w, key, list);
		return;
	}
	json_begin_array(w, key);
	while (json_next_element(&parts, &part)) {
		if (empty_too || !is_empty_text(part))
			write_part(w, part);
	}
	json_end_array(w);
}

/* Missing is null, and a list without a reasoning_text is left out. */
static void write_thoughts(struct json_writer *w, const char *key,
			   struct json list)
{
	struct json_walk parts = json_walk(list);
	struct json part;
	bool any = false;
	if (js_is_nullish(list)) {
		json_write_null(w, key);
		return;
	}
	while (!any && json_next_element(&parts, &part))
		any = json_is(json_get(part, "type"), SPAN("reasoning_text"));
	if (any)
		write_parts(w, key, list, true);
}

/* Write these members of an object; null for those that are missing. */
static void write_members(struct json_writer *w, struct json object,
			  const char *const *names, size_t n, bool nulls)
{
	for (size_t i = 0; i < n; i++) {
		struct json v = json_get(object, names[i]);
		if (!js_is_nullish(v))
			json_write_value(w, names[i], v);
		else if (nulls)
			json_write_null(w, names[i]);
	}
}

static void write_shell_action(struct json_writer *w, const char *key,
			       struct json action)
{
	static const char *const names[] = { "type",	   "command",
					     "timeout_ms", "working_directory",
					     "env",	   "user" };
	json_begin_object(w, key);
	write_members(w, action, names, 6, true);
	json_end_object(w);
}

static void write_search_action(struct json_writer *w, const char *key,
				struct json action)
{
	static const struct {
		struct span type;
		const char *names[2];
	} known[] = {
		{ SPAN("search"), { "query", "queries" } },
		{ SPAN("open_page"), { "url", "url" } },
		{ SPAN("find_in_page"), { "url", "pattern" } },
	};
	struct json type = json_get(action, "type");
	if (js_is_nullish(action))
		return;
	json_begin_object(w, key);
	for (size_t i = 0; i < 3; i++) {
		if (!json_is(type, known[i].type))
			continue;
		json_write_value(w, "type", type);
		write_members(w, action, known[i].names, i == 1 ? 1 : 2, false);
		json_end_object(w);
		return;
	}
	json_write_word(w, "type", "other");
	json_end_object(w);
}

static void write_member(struct json_writer *w, const struct member *m,
			 struct json v, bool listed)
{
	switch (m->rule) {
	case TEXT:
	case VALUES:
	case SHELL_STATUS:
		json_write_value(w, m->name, v);
		break;
	case MAYBE_TEXT:
	case PHASE:
		if (!js_is_nullish(v))
			json_write_value(w, m->name, v);
		break;
	case NULL_TEXT:
	case ANY:
		if (js_is_nullish(v))
			json_write_null(w, m->name);
		else
			json_write_value(w, m->name, v);
		break;
	case ID:
		if (has_prefix(v))
			json_write_value(w, m->name, v);
		break;
	case OUTPUT:
		write_parts(w, m->name, v, listed);
		break;
	case CONTENT:
	case AGENT_CONTENT:
	case SUMMARIES:
		write_parts(w, m->name, v, true);
		break;
	case THOUGHTS:
		write_thoughts(w, m->name, v);
		break;
	case SHELL_ACTION:
		write_shell_action(w, m->name, v);
		break;
	case SEARCH_ACTION:
		write_search_action(w, m->name, v);
		break;
	case HIDDEN_TEXT:
	case HIDDEN_TEXTS:
	case HIDDEN_OBJECT:
		break;
	}
}

void codex_item_write(struct json_writer *w, struct json item, bool listed)
{
	const char *names[MOST_MEMBERS];
	struct json f[MOST_MEMBERS];
	const struct type *t = type_of(item);
	json_begin_object(w, NULL);
	if (!t) {
		json_write_word(w, "type", "other");
	} else {
		size_t n = count(t, names);
		json_get_all(item, n, names, f);
		json_write_string(w, "type", t->name);
		for (size_t i = 0; i < n; i++)
			write_member(w, &t->members[i], f[i], listed);
	}
	json_end_object(w);
}
