/*
 * A conversation of another agent as a chat that Qwen Code resumes: one chain
 * of records, and a title. Pictures are data, since the agent posts no others;
 * one with an address only is a text.
 */
#include "core/as/api.h"
#include "core/dialects/kit/ids.h"
#include "core/dialects/kit/line.h"
#include "core/dialects/qwen/qwen.h"

/* Of its usual models. */
#define WINDOW 262144

struct receiving {
	const struct conversation *c;
	struct id_space ids;
	struct buf session;
	struct buf last; /* the id of the last record, as JSON; or null */
	uint32_t n;
	struct buf *out;
};

static struct json_writer begin(struct receiving *x, const char *type,
				const char *provenance, int64_t time)
{
	struct json_writer w = { .out = x->out };
	struct buf id BUF_SCOPED = BUF_INTO(&x->last);
	ids_quote_derived(&x->ids, &id, "qwen", "record", x->n);
	json_begin_object(&w, NULL);
	json_write_buf(&w, "uuid", &id);
	json_write_buf(&w, "parentUuid", &x->last);
	json_write_buf(&w, "sessionId", &x->session);
	line_add_time(&w, "timestamp", time);
	json_write_word(&w, "type", type);
	json_write_word(&w, "provenance", provenance);
	json_write_string_buf(&w, "cwd", &x->c->cwd);
	json_write_word(&w, "version", QWEN_VERSION);
	if (x->n++ == 0 && x->c->id.len > 0) {
		json_begin_object(&w, "forkedFrom");
		json_write_string_buf(&w, "sessionId", &x->c->id);
		json_write_buf(&w, "messageUuid", &id);
		json_end_object(&w);
	}
	buf_clear(&x->last);
	buf_add(&x->last, buf_span(&id));
	return w;
}

/* Append the texts of parts, each on lines of its own. */
static void add_texts(struct buf *out, const struct part *p, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		if (p[i].type == PART_CALL || api_takes_data(&p[i]))
			continue;
		buf_adds(out, out->len > 0 ? "\n" : "");
		api_add_text(out, &p[i]);
	}
}

static void write_part(struct json_writer *w, const struct part *p)
{
	struct buf text BUF_SCOPED = BUF_INTO(w->out);
	json_begin_object(w, NULL);
	if (p->type == PART_CALL) {
		json_begin_object(w, "functionCall");
		json_write_string(w, "id", p->id);
		json_write_value(w, "name", p->name);
		conversation_write_object(w, "args", p->arguments);
		json_end_object(w);
	} else if (api_takes_data(p)) {
		json_begin_object(w, "inlineData");
		json_write_string(w, "mimeType", api_mime(p));
		json_write_string(w, "data", p->data);
		json_end_object(w);
	} else {
		api_add_text(&text, p);
		json_write_string_buf(w, "text", &text);
	}
	json_end_object(w);
}

static void write_result(struct receiving *x, struct json_writer *w,
			 const struct turn *t)
{
	const struct part *p = &x->c->parts[t->first];
	struct buf text BUF_SCOPED = BUF_INTO(w->out);
	bool media = false;
	add_texts(&text, p, t->n);
	for (uint32_t i = 0; i < t->n; i++)
		media = media || api_takes_data(&p[i]);
	json_begin_object(w, NULL);
	json_begin_object(w, "functionResponse");
	json_write_string(w, "id", t->call);
	json_write_value(w, "name", t->name);
	json_begin_object(w, "response");
	json_write_string_buf(w, t->failed ? "error" : "output", &text);
	json_end_object(w);
	if (media) {
		json_begin_array(w, "parts");
		for (uint32_t i = 0; i < t->n; i++) {
			if (api_takes_data(&p[i]))
				write_part(w, &p[i]);
		}
		json_end_array(w);
	}
	json_end_object(w);
	json_end_object(w);
}

/* The agent posts the texts of an answer with nothing between them. */
static void write_answer(struct json_writer *w, const struct part *p,
			 uint32_t n)
{
	struct buf text BUF_SCOPED = BUF_INTO(w->out);
	add_texts(&text, p, n);
	if (text.len > 0) {
		json_begin_object(w, NULL);
		json_write_string_buf(w, "text", &text);
		json_end_object(w);
	}
	for (uint32_t i = 0; i < n; i++) {
		if (p[i].type == PART_CALL)
			write_part(w, &p[i]);
	}
}

static void add_turn(struct receiving *x, const struct turn *t)
{
	static const char *const words[][3] = {
		[TURN_USER] = { "user", "real_user", "user" },
		[TURN_ASSISTANT] = { "assistant", "assistant_output", "model" },
		[TURN_RESULT] = { "tool_result", "tool_result", "user" },
	};
	const char *const *word = words[t->role];
	struct json_writer w = begin(x, word[0], word[1], t->time);
	json_begin_object(&w, "message");
	json_write_word(&w, "role", word[2]);
	json_begin_array(&w, "parts");
	if (t->role == TURN_RESULT)
		write_result(x, &w, t);
	if (t->role == TURN_ASSISTANT)
		write_answer(&w, &x->c->parts[t->first], t->n);
	for (uint32_t i = 0; t->role == TURN_USER && i < t->n; i++)
		write_part(&w, &x->c->parts[t->first + i]);
	json_end_array(&w);
	json_end_object(&w);
	line_end(&w);
}

static int receive(const struct conversation *c, struct buf *out)
{
	struct receiving x = { .c = c,
			       .ids = ids_space_of(buf_span(&c->key)),
			       .out = out };
	ids_quote_derived(&x.ids, &x.session, "qwen", "session", 0);
	buf_adds(&x.last, "null");
	for (uint32_t i = 0; i < c->n_turns; i++)
		add_turn(&x, &c->turns[i]);
	struct json_writer w = begin(&x, "system", "system", c->begun);
	json_write_word(&w, "subtype", "custom_title");
	json_begin_object(&w, "systemPayload");
	json_write_string_buf(&w, "customTitle", &c->title);
	json_write_word(&w, "titleSource", "auto");
	json_end_object(&w);
	line_end(&w);
	buf_free_into(&x.session, out);
	buf_free_into(&x.last, out);
	return buf_error(out);
}

const struct dialect_receiving qwen_receiving = {
	.window = WINDOW,
	.write = receive,
};
