#include <stdio.h>

#include "core/dialects/codex/codex.h"
#include "core/json/js.h"

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

static void write_member(struct json_writer *w, const struct codex_member *m,
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
	const struct codex_item_row *row = codex_item_row(item);
	json_begin_object(w, NULL);
	json_write_string(w, "type", row ? row->type_name : SPAN("other"));
	if (row) {
		struct json v[CODEX_MOST_MEMBERS];
		struct json id = json_get(item, "id");
		size_t n = codex_item_members(row, item, v);
		if (has_prefix(id))
			json_write_value(w, "id", id);
		for (size_t i = 0; i < n; i++)
			write_member(w, &row->members[i], v[i], listed);
	}
	json_end_object(w);
}
