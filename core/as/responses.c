#include "core/as/api.h"
#include "core/json/writer.h"

static void write_part(struct json_writer *w, const struct part *p,
		       const char *text_type, as_takes *takes)
{
	struct buf words BUF_SCOPED = { 0 };
	json_begin_object(w, NULL);
	if (takes(p)) {
		json_write_word(w, "type", "input_image");
		api_write_url(w, "image_url", p);
	} else {
		json_write_word(w, "type", text_type);
		if (p->type == PART_PICTURE) {
			api_add_text(&words, p);
			json_write_string_buf(w, "text", &words);
		} else {
			json_write_value(w, "text", p->text);
		}
	}
	json_end_object(w);
}

void as_responses_call(struct json_writer *w, const struct part *p)
{
	bool text = json_is_string(p->arguments);
	json_begin_object(w, NULL);
	json_write_word(w, "type", text ? "custom_tool_call" : "function_call");
	json_write_string(w, "call_id", p->id);
	api_write_name(w, "name", p->name, API_NAME_LIMIT);
	if (text)
		json_write_value(w, "input", p->arguments);
	else
		json_write_string(w, "arguments", p->arguments.raw);
	json_end_object(w);
}

void as_responses_parts(struct json_writer *w, const char *key,
			const struct part *p, uint32_t n, const char *text_type,
			as_takes *takes)
{
	json_begin_array(w, key);
	for (uint32_t i = 0; i < n; i++)
		write_part(w, &p[i], text_type, takes);
	json_end_array(w);
}

/* A lone text is a string. */
void as_responses_result(struct json_writer *w, const struct conversation *c,
			 const struct turn *t, as_takes *takes,
			 const char *none)
{
	const struct part *first = &c->parts[t->first];
	json_begin_object(w, NULL);
	json_write_word(w, "type",
			t->of_text ? "custom_tool_call_output"
				   : "function_call_output");
	json_write_string(w, "call_id", t->call);
	if (t->n == 0)
		json_write_word(w, "output", none);
	else if (t->n == 1 && first->type == PART_TEXT)
		json_write_value(w, "output", first->text);
	else
		as_responses_parts(w, "output", first, t->n, "input_text",
				   takes);
	json_end_object(w);
}

/* Write a turn: a message for what stands between calls, and the calls. */
static void write_turn(struct json_writer *w, const struct conversation *c,
		       const struct turn *t)
{
	bool assistant = t->role == TURN_ASSISTANT;
	bool open = false;
	for (uint32_t i = t->first; i < t->first + t->n; i++) {
		const struct part *p = &c->parts[i];
		bool call = p->type == PART_CALL;
		if (open && call) {
			json_end_array(w);
			json_end_object(w);
		} else if (!open && !call) {
			json_begin_line(w);
			json_begin_object(w, NULL);
			json_write_word(w, "type", "message");
			json_write_word(w, "role",
					assistant ? "assistant" : "user");
			json_begin_array(w, "content");
		}
		open = !call;
		if (call) {
			json_begin_line(w);
			as_responses_call(w, p);
		} else {
			write_part(w, p,
				   assistant ? "output_text" : "input_text",
				   api_takes_picture);
		}
	}
	if (open) {
		json_end_array(w);
		json_end_object(w);
	}
}

int as_responses(const struct conversation *c, struct buf *out)
{
	struct json_writer w = { .out = out };
	json_begin_array(&w, NULL);
	for (uint32_t i = 0; i < c->n_turns; i++) {
		const struct turn *t = &c->turns[i];
		if (t->role != TURN_RESULT) {
			write_turn(&w, c, t);
			continue;
		}
		json_begin_line(&w);
		as_responses_result(&w, c, t, api_takes_picture, API_NO_OUTPUT);
	}
	json_end_lines(&w);
	return buf_error(out);
}
