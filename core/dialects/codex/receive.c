#include "core/dialects/codex/receive.h"

#include "core/as/conversation.h"
#include "core/dialects/codex/new_thread.h"
#include "core/dialects/kit/line.h"
#include "core/json/timestamp.h"

/* Of most models of 0.169.0. */
#define WINDOW 272000
/* In bytes: what an agent with any model posts of a result. */
#define RESULT_LIMIT 10000

struct receiving {
	const struct conversation *c;
	struct buf *out;
	struct buf item; /* that is written */
	struct buf list; /* items, with commas between them */
	bool listing;	 /* there is to be a list */
	uint32_t call;	 /* the part that the next result is of, or one above */
};

static int64_t known_time(int64_t time)
{
	return time == TIMESTAMP_NONE ? 0 : time;
}

/* Begin a line up to its payload, which is written next. */
static struct json_writer begin_line(struct receiving *x, int64_t time,
				     const char *type)
{
	struct json_writer w = { .out = x->out };
	json_begin_object(&w, NULL);
	line_add_time(&w, "timestamp", known_time(time));
	json_write_word(&w, "type", type);
	return w;
}

static void add_meta(struct receiving *x)
{
	const struct conversation *c = x->c;
	struct id_space space = ids_space_of(buf_span(&c->key));
	struct buf id = { 0 };
	struct buf time = { 0 };
	struct buf cwd = { 0 };
	codex_new_id(&space, SPAN("thread"), c->begun, &id);
	line_quote_time(&time, known_time(c->begun));
	json_quote(&cwd, buf_span(&c->cwd));
	struct json_writer w = begin_line(x, c->begun, "session_meta");
	json_begin_object(&w, "payload");
	codex_write_meta(&w, buf_span(&id),
			 (struct json){ .raw = buf_span(&time) },
			 (struct json){ .raw = buf_span(&cwd) });
	json_end_object(&w);
	line_end(&w);
	buf_free_into(&id, x->out);
	buf_free_into(&time, x->out);
	buf_free_into(&cwd, x->out);
}

/* Begin an item, and end it: it gets its line, and its place in the list. */
static struct json_writer begin_item(struct receiving *x, const char *type)
{
	struct json_writer w = { .out = &x->item };
	buf_clear(&x->item);
	json_begin_object(&w, NULL);
	json_write_word(&w, "type", type);
	return w;
}

static void end_item(struct receiving *x, struct json_writer *item,
		     int64_t time)
{
	json_end_object(item);
	struct json_writer w = begin_line(x, time, "response_item");
	json_write_buf(&w, "payload", &x->item);
	line_end(&w);
	if (!x->listing)
		return;
	buf_adds(&x->list, x->list.len > 0 ? "," : "");
	buf_add(&x->list, buf_span(&x->item));
}

/* Does the agent take the part as a text? */
static bool is_text(const struct part *p)
{
	return p->type == PART_TEXT || p->data.n == 0;
}

static void add_text(struct buf *out, const struct part *p)
{
	if (p->type == PART_TEXT)
		json_decode(out, p->text);
	else
		conversation_add_url(out, p);
}

static void write_url(struct json_writer *w, const char *key,
		      const struct part *p)
{
	struct buf url = { 0 };
	buf_adds(&url, "data:");
	buf_add(&url, p->mime);
	buf_adds(&url, ";base64,");
	buf_add(&url, p->data);
	json_write_string_buf(w, key, &url);
	buf_free(&url);
}

static void write_part(struct json_writer *w, const struct part *p,
		       const char *text_type)
{
	struct buf text = { 0 };
	json_begin_object(w, NULL);
	json_write_word(w, "type", is_text(p) ? text_type : "input_image");
	if (is_text(p)) {
		add_text(&text, p);
		json_write_string_buf(w, "text", &text);
	} else {
		write_url(w, "image_url", p);
	}
	json_end_object(w);
	buf_free(&text);
}

static void write_parts(struct json_writer *w, const char *key,
			const struct part *p, uint32_t n, const char *text_type)
{
	json_begin_array(w, key);
	for (uint32_t i = 0; i < n; i++)
		write_part(w, &p[i], text_type);
	json_end_array(w);
}

/* Write what the user or the assistant is shown to have said. */
static struct json_writer begin_event(struct receiving *x, int64_t time,
				      bool is_user, struct span text)
{
	struct json_writer w = begin_line(x, time, "event_msg");
	json_begin_object(&w, "payload");
	json_write_word(&w, "type", is_user ? "user_message" : "agent_message");
	json_write_string(&w, "message", text);
	if (is_user)
		json_begin_array(&w, "images");
	return w;
}

static void end_event(struct json_writer *w, bool is_user)
{
	if (is_user)
		json_end_array(w);
	json_end_object(w);
	line_end(w);
}

static void add_title(struct receiving *x)
{
	const struct conversation *c = x->c;
	struct json_writer w =
		begin_event(x, c->begun, true, buf_span(&c->title));
	end_event(&w, true);
}

/* Show a message. */
static void add_event(struct receiving *x, const struct part *p, uint32_t n,
		      int64_t time, bool is_user)
{
	struct buf text = { 0 };
	for (uint32_t i = 0; i < n; i++) {
		if (!is_text(&p[i]))
			continue;
		buf_adds(&text, text.len > 0 ? "\n" : "");
		add_text(&text, &p[i]);
	}
	struct json_writer w = begin_event(x, time, is_user, buf_span(&text));
	for (uint32_t i = 0; i < n && is_user; i++) {
		if (!is_text(&p[i]))
			write_url(&w, NULL, &p[i]);
	}
	end_event(&w, is_user);
	buf_free_into(&text, x->out);
}

static void add_message(struct receiving *x, const struct part *p, uint32_t n,
			const struct turn *t)
{
	bool is_user = t->role == TURN_USER;
	struct json_writer w = begin_item(x, "message");
	json_write_word(&w, "role", is_user ? "user" : "assistant");
	write_parts(&w, "content", p, n,
		    is_user ? "input_text" : "output_text");
	end_item(x, &w, t->time);
	add_event(x, p, n, t->time, is_user);
}

static bool takes_text(const struct part *call)
{
	return json_type(call->arguments) == JSON_STRING;
}

static void add_call(struct receiving *x, const struct part *p, int64_t time)
{
	bool custom = takes_text(p);
	struct json_writer w =
		begin_item(x, custom ? "custom_tool_call" : "function_call");
	json_write_value(&w, "name", p->name);
	if (custom) {
		json_write_value(&w, "input", p->arguments);
	} else {
		struct buf arguments = { 0 };
		struct json_writer a = { .out = &arguments };
		conversation_write_object(&a, NULL, p->arguments);
		json_write_string_buf(&w, "arguments", &arguments);
		buf_free(&arguments);
	}
	json_write_string(&w, "call_id", p->id);
	end_item(x, &w, time);
}

static void add_assistant(struct receiving *x, const struct turn *t)
{
	const struct part *p = &x->c->parts[t->first];
	for (uint32_t i = 0; i < t->n;) {
		uint32_t from = i;
		while (i < t->n && p[i].type != PART_CALL)
			i++;
		if (i > from)
			add_message(x, &p[from], i - from, t);
		else
			add_call(x, &p[i++], t->time);
	}
}

/* The call of a result: results are in the order of calls. */
static const struct part *find_call(struct receiving *x, const struct turn *t)
{
	const struct conversation *c = x->c;
	while (x->call < t->first) {
		const struct part *p = &c->parts[x->call++];
		if (p->type == PART_CALL && span_eq(p->id, t->call))
			return p;
	}
	return NULL;
}

static void add_result(struct receiving *x, const struct turn *t)
{
	const struct part *p = &x->c->parts[t->first];
	const struct part *call = find_call(x, t);
	struct json_writer w = begin_item(x, call && takes_text(call)
						     ? "custom_tool_call_output"
						     : "function_call_output");
	json_write_string(&w, "call_id", t->call);
	if (t->n == 0)
		json_write_word(&w, "output", "");
	else if (t->n == 1 && p->type == PART_TEXT)
		json_write_value(&w, "output", p->text);
	else
		write_parts(&w, "output", p, t->n, "input_text");
	end_item(x, &w, t->time);
}

static bool has_long_result(const struct conversation *c)
{
	for (uint32_t i = 0; i < c->n_turns; i++) {
		const struct turn *t = &c->turns[i];
		size_t n = 0;
		for (uint32_t k = t->first; k < t->first + t->n; k++)
			n += c->parts[k].text.raw.n;
		if (t->role == TURN_RESULT && n > RESULT_LIMIT)
			return true;
	}
	return false;
}

static void add_list(struct receiving *x)
{
	const struct turn *last = &x->c->turns[x->c->n_turns - 1];
	struct json_writer w = begin_line(x, last->time, "compacted");
	json_begin_object(&w, "payload");
	json_write_word(&w, "message", "");
	json_begin_array(&w, "replacement_history");
	buf_add(x->out, buf_span(&x->list));
	json_note_copied(&w);
	json_end_array(&w);
	json_end_object(&w);
	line_end(&w);
}

static int receive(const struct conversation *c, struct buf *out)
{
	struct receiving x = { .c = c,
			       .out = out,
			       .listing = has_long_result(c) };
	add_meta(&x);
	add_title(&x);
	for (uint32_t i = 0; i < c->n_turns; i++) {
		const struct turn *t = &c->turns[i];
		if (t->role == TURN_RESULT)
			add_result(&x, t);
		else if (t->role == TURN_ASSISTANT)
			add_assistant(&x, t);
		else
			add_message(&x, &c->parts[t->first], t->n, t);
	}
	if (x.listing)
		add_list(&x);
	buf_free_into(&x.item, out);
	buf_free_into(&x.list, out);
	return buf_error(out);
}

const struct dialect_receiving codex_receiving = {
	.window = WINDOW,
	.write = receive,
};
