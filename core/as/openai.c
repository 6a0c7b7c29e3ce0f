#include "core/as/api.h"
#include "core/session/block.h"

/* Append the texts of a turn as one, each on lines of its own. */
static void add_texts(struct buf *out, const struct conversation *c,
		      const struct turn *t)
{
	size_t from = out->len;
	for (uint32_t i = t->first; i < t->first + t->n; i++) {
		const struct part *p = &c->parts[i];
		if (p->type == PART_CALL || api_takes_picture(p))
			continue;
		buf_adds(out, out->len > from ? "\n" : "");
		api_add_text(out, p);
	}
}

static void begin_message(struct json_writer *w, const char *role)
{
	json_begin_line(w);
	json_begin_object(w, NULL);
	json_write_word(w, "role", role);
}

static void write_picture(struct json_writer *w, const struct part *p)
{
	json_begin_object(w, NULL);
	json_write_word(w, "type", "image_url");
	json_begin_object(w, "image_url");
	api_write_url(w, "url", p);
	json_end_object(w);
	json_end_object(w);
}

static bool has_pictures(const struct conversation *c, const struct turn *t)
{
	for (uint32_t i = t->first; i < t->first + t->n; i++) {
		if (api_takes_picture(&c->parts[i]))
			return true;
	}
	return false;
}

/* Write the parts of a user, one by one if there are pictures among them. */
static void write_user(struct json_writer *w, const struct conversation *c,
		       const struct turn *t)
{
	struct buf text BUF_SCOPED = BUF_INTO(w->out);
	begin_message(w, "user");
	if (!has_pictures(c, t)) {
		add_texts(&text, c, t);
		json_write_string_buf(w, "content", &text);
		json_end_object(w);
		return;
	}
	json_begin_array(w, "content");
	for (uint32_t i = t->first; i < t->first + t->n; i++) {
		const struct part *p = &c->parts[i];
		buf_clear(&text);
		if (api_takes_picture(p)) {
			write_picture(w, p);
		} else if (p->type == PART_TEXT) {
			block_write_text_value(w, p->text);
		} else {
			api_add_text(&text, p);
			block_write_text(w, buf_span(&text));
		}
	}
	json_end_array(w);
	json_end_object(w);
}

static void write_call(struct json_writer *w, const struct part *p)
{
	struct buf arguments BUF_SCOPED = { 0 };
	struct json_writer inner = { .out = &arguments };
	conversation_write_object(&inner, NULL, p->arguments);
	json_begin_object(w, NULL);
	json_write_string(w, "id", p->id);
	json_write_word(w, "type", "function");
	json_begin_object(w, "function");
	api_write_name(w, "name", p->name, API_NAME_LIMIT);
	json_write_string_buf(w, "arguments", &arguments);
	json_end_object(w);
	json_end_object(w);
}

static void write_assistant(struct json_writer *w, const struct conversation *c,
			    const struct turn *t)
{
	struct buf text BUF_SCOPED = BUF_INTO(w->out);
	bool any = false;
	add_texts(&text, c, t);
	begin_message(w, "assistant");
	if (text.len > 0)
		json_write_string_buf(w, "content", &text);
	else
		json_write_null(w, "content");
	for (uint32_t i = t->first; i < t->first + t->n; i++) {
		if (c->parts[i].type != PART_CALL)
			continue;
		if (!any)
			json_begin_array(w, "tool_calls");
		any = true;
		write_call(w, &c->parts[i]);
	}
	if (any)
		json_end_array(w);
	json_end_object(w);
}

static void write_result(struct json_writer *w, const struct conversation *c,
			 const struct turn *t)
{
	struct buf text BUF_SCOPED = { 0 };
	add_texts(&text, c, t);
	if (text.len == 0)
		buf_adds(&text, API_NO_OUTPUT);
	begin_message(w, "tool");
	json_write_string(w, "tool_call_id", t->call);
	json_write_string_buf(w, "content", &text);
	json_end_object(w);
}

/* The pictures of results, which have none here, follow the last of them. */
static void write_result_pictures(struct json_writer *w,
				  const struct conversation *c, uint32_t from,
				  uint32_t end)
{
	while (from < end && !has_pictures(c, &c->turns[from]))
		from++;
	if (from == end)
		return;
	begin_message(w, "user");
	json_begin_array(w, "content");
	for (const struct turn *t = &c->turns[from]; t < c->turns + end; t++) {
		for (uint32_t i = t->first; i < t->first + t->n; i++) {
			if (api_takes_picture(&c->parts[i]))
				write_picture(w, &c->parts[i]);
		}
	}
	json_end_array(w);
	json_end_object(w);
}

int as_openai(const struct conversation *c, struct buf *out)
{
	struct json_writer w = { .out = out };
	json_begin_array(&w, NULL);
	for (uint32_t i = 0; i < c->n_turns;) {
		uint32_t from = i;
		for (; i < c->n_turns && c->turns[i].role == TURN_RESULT; i++)
			write_result(&w, c, &c->turns[i]);
		write_result_pictures(&w, c, from, i);
		if (i == c->n_turns)
			break;
		if (c->turns[i].role == TURN_ASSISTANT)
			write_assistant(&w, c, &c->turns[i]);
		else
			write_user(&w, c, &c->turns[i]);
		i++;
	}
	json_end_lines(&w);
	return buf_error(out);
}
