#include "core/session/message.h"

#include "core/base/text.h"
#include "core/json/js.h"
#include "core/json/timestamp.h"
#include "core/session/dialect.h"

static void add_content_json(struct json_writer *w, const struct message *m)
{
	if (m->how == CONTENT_NONE)
		return;
	if (m->how == CONTENT_JSON) {
		json_write_value(w, "content", m->content);
		return;
	}
	json_begin_array(w, "content");
	if (m->how == CONTENT_TEXT)
		block_write_text(w, m->text);
	else
		block_write_text_value(w, m->content);
	json_end_array(w);
}

/* { ...source, content } */
static void add_replaced_json(struct json_writer *w, const struct message *m)
{
	json_begin_object(w, NULL);
	JSON_EACH_MEMBER(key, value, m->source) {
		if (!json_is(key, SPAN("content")))
			json_write_member(w, key, value);
	}
	add_content_json(w, m);
	json_end_object(w);
}

static void add_new_json(struct json_writer *w, const struct message *m)
{
	static const char *const roles[] = {
		[MESSAGE_SYSTEM] = "system",
		[MESSAGE_USER] = "user",
		[MESSAGE_ASSISTANT] = "assistant",
		[MESSAGE_TOOL_RESULT] = "toolResult",
		[MESSAGE_DEVELOPER] = "developer",
		[MESSAGE_SUMMARY] = "user",
		[MESSAGE_REMINDER] = "system",
	};
	json_begin_object(w, NULL);
	json_write_word(w, "role", roles[m->role]);
	add_content_json(w, m);
	if (json_type(m->time_json) != JSON_ABSENT)
		json_write_value(w, "timestamp", m->time_json);
	else if (m->has_time)
		timestamp_add_ms(json_begin_value(w, "timestamp"), m->time);
	json_end_object(w);
}

static void add_json(struct messages *to, const struct message *m)
{
	json_begin_line(&to->json);
	size_t from = to->out->len;
	if (json_type(m->source) == JSON_ABSENT)
		add_new_json(&to->json, m);
	else if (m->replaced)
		add_replaced_json(&to->json, m);
	else
		json_write_value(&to->json, NULL, m->source);
	json_join_lines(to->out, from);
	to->n++;
}

/* The text blocks of a content, joined; false if there are none. */
static bool add_block_texts(struct messages *to, struct json content,
			    const char *separator)
{
	bool any = false;
	if (json_is_string(content)) {
		json_decode(to->out, content);
		return true;
	}
	JSON_EACH(v, content) {
		struct block b = to->read_block(v);
		if (b.type != BLOCK_TEXT)
			continue;
		buf_adds(to->out, any ? separator : "");
		/* join() in JavaScript makes "" of null and undefined. */
		if (!js_is_nullish(b.text))
			js_to_string(to->out, b.text);
		any = true;
	}
	return any;
}

static bool add_content_text(struct messages *to, const struct message *m,
			     const char *separator)
{
	if (m->how == CONTENT_NONE)
		return false;
	if (m->how != CONTENT_TEXT)
		return add_block_texts(to, m->content, separator);
	buf_add(to->out, m->text);
	return true;
}

static void add_unit(struct buf *out, size_t i, uint32_t unit)
{
	struct buf text BUF_SCOPED = BUF_INTO(out);
	text_add_code_point(&text, unit);
	buf_addf(out, "%s%zu=", i > 0 ? ", " : "", i);
	json_quote(out, buf_span(&text));
}

/* Object.entries() of a string: its UTF-16 units. */
static void add_units(struct buf *out, struct json v)
{
	struct buf text BUF_SCOPED = { 0 };
	json_decode(&text, v);
	struct span rest = buf_span(&text);
	buf_inherit(out, &text);
	for (size_t i = 0; rest.n > 0;) {
		size_t len;
		uint32_t cp = text_code_point(rest, &len);
		if (cp >= 0x10000)
			add_unit(out, i++, 0xD800 + ((cp - 0x10000) >> 10));
		add_unit(out, i++, cp < 0x10000 ? cp : 0xDC00 + (cp & 0x3FF));
		rest = span_from(rest, len);
	}
}

/*
 * name(key=value, key=value), or name("text") of a tool that takes a text. Of
 * any other the keys of a text are its indexes, as the agents have it.
 */
static void add_tool_call(struct buf *out, struct json name, struct json args,
			  bool may_be_text)
{
	struct js_members m;
	if (js_members_load(&m, args) < 0) {
		buf_fail(out);
		return;
	}
	js_to_string(out, name);
	buf_addc(out, '(');
	for (size_t i = 0; i < m.n; i++) {
		buf_adds(out, i > 0 ? ", " : "");
		buf_add(out, m.list[i].key);
		buf_addc(out, '=');
		js_stringify(out, m.list[i].value, 0);
	}
	if (json_is_string(args) && may_be_text)
		js_stringify(out, args, 0);
	else if (json_is_string(args))
		add_units(out, args);
	buf_addc(out, ')');
	js_members_free(&m);
}

static void add_tool_calls(struct messages *to, const struct message *m)
{
	if (m->how != CONTENT_JSON)
		return;
	const char *between = "[Assistant tool calls]: ";
	JSON_EACH(v, m->content) {
		struct block b = to->read_block(v);
		if (b.type != BLOCK_CALL)
			continue;
		struct buf scratch BUF_SCOPED = BUF_INTO(to->out);
		buf_adds(to->out, between);
		add_tool_call(to->out, b.name, block_arguments(&b, &scratch),
			      b.quoted);
		between = "; ";
	}
}

/* Begin a part; end_part() removes it if nothing was added to it. */
static size_t begin_part(struct messages *to)
{
	if (to->n > 0)
		buf_adds(to->out, "\n\n");
	return to->out->len;
}

static void end_part(struct messages *to, size_t from, bool keep)
{
	if (keep)
		to->n++;
	else if (!to->out->failed)
		to->out->len = from - (to->n > 0 ? 2 : 0);
}

static void add_labelled_text(struct messages *to, const struct message *m,
			      const char *label)
{
	size_t from = begin_part(to);
	buf_adds(to->out, label);
	size_t text = to->out->len;
	add_content_text(to, m, m->by_line ? "\n" : "");
	end_part(to, from, to->out->len > text);
}

#define RESULT_LABEL "[Tool result]: "

/* The tool results in a user's message, as some dialects have them. */
static void add_inner_results(struct messages *to, const struct message *m)
{
	if (m->how != CONTENT_JSON)
		return;
	JSON_EACH(v, m->content) {
		struct block b = to->read_block(v);
		if (b.type != BLOCK_RESULT)
			continue;
		const struct message result = { .how = CONTENT_JSON,
						.content = b.content };
		add_labelled_text(to, &result, RESULT_LABEL);
	}
}

static void add_assistant_text(struct messages *to, const struct message *m)
{
	size_t from = begin_part(to);
	buf_adds(to->out, "[Assistant]: ");
	end_part(to, from, add_content_text(to, m, "\n"));

	from = begin_part(to);
	add_tool_calls(to, m);
	end_part(to, from, to->out->len > from);
}

void messages_add(struct messages *to, const struct message *m)
{
	static const char *const labels[] = {
		[MESSAGE_USER] = "[User]: ",
		[MESSAGE_TOOL_RESULT] = RESULT_LABEL,
		[MESSAGE_DEVELOPER] = "[Developer]: ",
		[MESSAGE_SUMMARY] = "[Summary]: ",
		[MESSAGE_REMINDER] = "[System]: ",
	};
	if (to->form == MESSAGE_FORM_TAKEN) {
		to->take(to, m);
		return;
	}
	if (to->form == MESSAGE_FORM_JSON) {
		add_json(to, m);
		return;
	}
	if (m->role == MESSAGE_ASSISTANT)
		add_assistant_text(to, m);
	if (m->role == MESSAGE_USER)
		add_inner_results(to, m);
	if (labels[m->role])
		add_labelled_text(to, m, labels[m->role]);
}

void messages_add_summary(struct messages *to, struct json summary,
			  int64_t time)
{
	const struct message m = { .role = MESSAGE_SUMMARY,
				   .how = CONTENT_BLOCK,
				   .content = summary,
				   .time = time,
				   .has_time = time != TIMESTAMP_NONE };
	if (json_has_text(summary))
		messages_add(to, &m);
}

int context_add(const struct session *s, uint32_t entry, enum message_form form,
		struct buf *out)
{
	struct path path;
	bool as_json = form == MESSAGE_FORM_JSON;
	size_t from = out->len;
	struct messages to = { .out = out,
			       .form = form,
			       .json = { .out = out, .utf8 = true },
			       .read_block = s->dialect->showing->read_block };

	int err = path_load(&path, s, entry);
	if (err)
		return err;
	if (as_json)
		json_begin_array(&to.json, NULL);
	err = s->dialect->sending->context(s, &path, &to);
	if (as_json) {
		json_end_lines(&to.json);
	} else if (to.n > 0) {
		buf_addc(out, '\n');
		text_finish(out, from);
	}
	path_free(&path);
	return err ? err : buf_error(out);
}
