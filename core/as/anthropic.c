#include "core/as/api.h"

#include "core/session/block.h"

static void write_picture(struct json_writer *w, const struct part *p)
{
	bool has_url = p->data.n == 0;
	json_begin_object(w, NULL);
	json_write_word(w, "type", "image");
	json_begin_object(w, "source");
	json_write_word(w, "type", has_url ? "url" : "base64");
	if (!has_url) {
		json_write_string(w, "media_type", p->mime);
		json_write_string(w, "data", p->data);
	}
	json_write_value(w, "url", p->url);
	json_end_object(w);
	json_end_object(w);
}

static void write_call(struct json_writer *w, const struct part *p)
{
	json_begin_object(w, NULL);
	json_write_word(w, "type", "tool_use");
	json_write_string(w, "id", p->id);
	json_write_value(w, "name", p->name);
	conversation_write_object(w, "input", p->arguments);
	json_end_object(w);
}

static void write_parts(struct json_writer *w, const struct conversation *c,
			const struct turn *t)
{
	for (uint32_t i = t->first; i < t->first + t->n; i++) {
		const struct part *p = &c->parts[i];
		if (p->type == PART_TEXT)
			block_write_text_value(w, p->text);
		else if (p->type == PART_PICTURE)
			write_picture(w, p);
		else
			write_call(w, p);
	}
}

static void write_turn(struct json_writer *w, const struct conversation *c,
		       const struct turn *t)
{
	if (t->role != TURN_RESULT) {
		write_parts(w, c, t);
		return;
	}
	json_begin_object(w, NULL);
	json_write_word(w, "type", "tool_result");
	json_write_string(w, "tool_use_id", t->call);
	json_begin_array(w, "content");
	write_parts(w, c, t);
	json_end_array(w);
	if (t->failed)
		json_write_bool(w, "is_error", true);
	json_end_object(w);
}

static void begin_message(struct json_writer *w, const char *role)
{
	json_begin_line(w);
	json_begin_object(w, NULL);
	json_write_word(w, "role", role);
	json_begin_array(w, "content");
}

static void end_message(struct json_writer *w)
{
	json_end_array(w);
	json_end_object(w);
}

/* The API wants a message of the user first. */
#define BEGINNING "(continued)"

int as_anthropic(const struct conversation *c, struct buf *out)
{
	struct json_writer w = { .out = out, .utf8 = true };
	json_begin_array(&w, NULL);
	if (c->n_turns > 0 && c->turns[0].role == TURN_ASSISTANT) {
		begin_message(&w, "user");
		block_write_text(&w, SPAN(BEGINNING));
		end_message(&w);
	}
	for (uint32_t i = 0; i < c->n_turns; i++) {
		bool assistant = c->turns[i].role == TURN_ASSISTANT;
		bool was = i > 0 && c->turns[i - 1].role == TURN_ASSISTANT;
		if (i == 0 || assistant != was)
			begin_message(&w, assistant ? "assistant" : "user");
		write_turn(&w, c, &c->turns[i]);
		if (i + 1 == c->n_turns ||
		    assistant != (c->turns[i + 1].role == TURN_ASSISTANT))
			end_message(&w);
	}
	buf_adds(out, c->n_turns > 0 ? "\n" : "");
	json_end_array(&w);
	buf_addc(out, '\n');
	return buf_error(out);
}
