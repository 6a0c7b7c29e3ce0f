/*
 * A conversation of another agent as a rollout that Codex resumes: a paginated
 * thread, which can be reverted and forked at its turns.
 *
 *   session_meta    with an id of the conversation, and the provider "openai":
 *                   the agent does not resume a thread that has none, and can't
 *                   be told another one when it resumes.
 *   response_item   The items of as/responses.json (core/as/api.h), which is
 *                   what the agent posts. But it posts no pictures of URLs:
 *                   they are texts.
 *   event_msg       Turns, and in them what the user and the assistant have
 *                   said, once more: the agent shows that, and lists no thread
 *                   without it. Before all the title, as the user's, which is
 *                   not posted: a thread is listed with what was said first.
 *                   (Names of threads are in another file.)
 *   compacted       with a list of all items up to the last result that is
 *                   longer than the agent would post it (10,000 bytes, or
 *                   tokens, as the model has it), if there is one. It cuts
 *                   outputs of lines, but not those of lists.
 *
 * Whether a call has failed is not said in rollouts.
 */
#include <stdio.h>

#include "core/as/api.h"
#include "core/dialects/codex/codex.h"
#include "core/dialects/kit/line.h"

/* Of most models of 0.171.0. */
#define WINDOW 272000
/* That of an agent whose configuration names none. */
#define PROVIDER "openai"
/* In bytes: what an agent with any model posts of a result. */
#define RESULT_LIMIT 10000

struct receiving {
	const struct conversation *c;
	struct buf *out;
	struct id_space ids;
	struct buf thread; /* its id */
	uint64_t ordinal;  /* of the next line */
	int64_t time;	   /* of the last one */
	unsigned items;	   /* that are shown */
	struct buf turn;   /* the id of the one that is open; empty: none is */
	struct buf item;   /* that is written */
	/* A list of items, with commas between them, up to a turn. */
	struct buf list;
	uint32_t listed; /* turns; 0: no list */
};

/* Begin a line up to its payload, which is written next. */
static struct json_writer begin_line(struct receiving *x, int64_t time,
				     const char *type)
{
	struct json_writer w = { .out = x->out };
	x->time = time;
	json_begin_object(&w, NULL);
	line_add_time(&w, "timestamp", x->time);
	json_write_number(&w, "ordinal", (double)x->ordinal++);
	json_write_word(&w, "type", type);
	return w;
}

static struct json_writer begin_event(struct receiving *x, int64_t time,
				      const char *type)
{
	struct json_writer w = begin_line(x, time, "event_msg");
	json_begin_object(&w, "payload");
	json_write_word(&w, "type", type);
	return w;
}

static void end_payload(struct json_writer *w)
{
	json_end_object(w);
	line_end(w);
}

static void add_meta(struct receiving *x)
{
	const struct conversation *c = x->c;
	struct buf time BUF_SCOPED = BUF_INTO(x->out);
	struct buf cwd BUF_SCOPED = BUF_INTO(x->out);
	codex_new_id(&x->ids, SPAN("thread"), c->begun, &x->thread);
	line_quote_time(&time, c->begun);
	json_quote(&cwd, buf_span(&c->cwd));
	struct json_writer w = begin_line(x, c->begun, "session_meta");
	json_begin_object(&w, "payload");
	const struct json when = { .raw = buf_span(&time) };
	const struct json where = { .raw = buf_span(&cwd) };
	codex_write_meta(&w, buf_span(&x->thread), buf_span(&c->id), when,
			 where);
	json_write_word(&w, "model_provider", PROVIDER);
	end_payload(&w);
}

static void end_turn(struct receiving *x)
{
	if (x->turn.len == 0)
		return;
	struct json_writer w = begin_event(x, x->time, "task_complete");
	json_write_string_buf(&w, "turn_id", &x->turn);
	end_payload(&w);
	buf_clear(&x->turn);
}

static void begin_turn(struct receiving *x, int64_t time)
{
	char name[32];
	end_turn(x);
	snprintf(name, sizeof(name), "turn %u", x->items);
	codex_new_id(&x->ids, span_of(name), time, &x->turn);
	struct json_writer w = begin_event(x, time, "task_started");
	json_write_string_buf(&w, "turn_id", &x->turn);
	json_write_number(&w, "model_context_window", WINDOW);
	end_payload(&w);
}

/* Add the item that was written: its line, and its place in the list. */
static void add_item(struct receiving *x, int64_t time)
{
	struct json_writer w = begin_line(x, time, "response_item");
	json_write_buf(&w, "payload", &x->item);
	line_end(&w);
	if (x->listed > 0) {
		buf_adds(&x->list, x->list.len > 0 ? "," : "");
		buf_add(&x->list, buf_span(&x->item));
	}
	buf_clear(&x->item);
}

/* The agent puts nothing between texts. */
static void write_shown(struct json_writer *w, const struct part *p,
			bool is_user, bool follows_text)
{
	struct buf text BUF_SCOPED = { 0 };
	json_begin_object(w, NULL);
	if (!api_takes_data(p)) {
		buf_adds(&text, follows_text ? "\n\n" : "");
		api_add_text(&text, p);
		json_write_word(w, "type", is_user ? "text" : "Text");
		json_write_string_buf(w, "text", &text);
	} else {
		json_write_word(w, "type", "image");
		api_write_url(w, "image_url", p);
	}
	if (!api_takes_data(p) && is_user) {
		json_begin_array(w, "text_elements");
		json_end_array(w);
	}
	json_end_object(w);
}

/* Have the agent show a message. It shows no pictures of the assistant. */
static void show(struct receiving *x, const struct part *p, uint32_t n,
		 int64_t time, bool is_user)
{
	struct buf id BUF_SCOPED = { 0 };
	bool has_text = false;
	struct json_writer w = begin_event(x, time, "item_completed");
	buf_addf(&id, "item-%u", ++x->items);
	json_write_string_buf(&w, "thread_id", &x->thread);
	json_write_string_buf(&w, "turn_id", &x->turn);
	json_begin_object(&w, "item");
	json_write_word(&w, "type", is_user ? "UserMessage" : "AgentMessage");
	json_write_string_buf(&w, "id", &id);
	json_begin_array(&w, "content");
	for (uint32_t i = 0; i < n; i++) {
		if (is_user || !api_takes_data(&p[i]))
			write_shown(&w, &p[i], is_user, has_text);
		has_text = has_text || !api_takes_data(&p[i]);
	}
	json_end_array(&w);
	json_end_object(&w);
	end_payload(&w);
}

static void add_title(struct receiving *x)
{
	struct buf quoted BUF_SCOPED = BUF_INTO(x->out);
	json_quote(&quoted, buf_span(&x->c->title));
	const struct part title = { .type = PART_TEXT,
				    .text.raw = buf_span(&quoted) };
	begin_turn(x, x->c->begun);
	show(x, &title, 1, x->c->begun, true);
}

static void add_message(struct receiving *x, const struct part *p, uint32_t n,
			const struct turn *t)
{
	bool is_user = t->role == TURN_USER;
	if (is_user)
		begin_turn(x, t->time);
	struct json_writer w = { .out = &x->item };
	json_begin_object(&w, NULL);
	json_write_word(&w, "type", "message");
	json_write_word(&w, "role", is_user ? "user" : "assistant");
	as_responses_parts(&w, "content", p, n,
			   is_user ? "input_text" : "output_text",
			   api_takes_data);
	json_end_object(&w);
	add_item(x, t->time);
	show(x, p, n, t->time, is_user);
}

static void add_assistant(struct receiving *x, const struct turn *t)
{
	const struct part *p = &x->c->parts[t->first];
	for (uint32_t i = 0; i < t->n;) {
		uint32_t from = i;
		while (i < t->n && p[i].type != PART_CALL)
			i++;
		if (i > from) {
			add_message(x, &p[from], i - from, t);
			continue;
		}
		struct json_writer w = { .out = &x->item };
		as_responses_call(&w, &p[i++]);
		add_item(x, t->time);
	}
}

/* How many turns there are up to the last long result, and those beside it. */
static uint32_t count_listed(const struct conversation *c)
{
	uint32_t listed = 0;
	for (uint32_t i = 0; i < c->n_turns; i++) {
		const struct turn *t = &c->turns[i];
		size_t n = 0;
		for (uint32_t k = t->first; k < t->first + t->n; k++)
			n += c->parts[k].text.raw.n;
		if (t->role == TURN_RESULT &&
		    (n > RESULT_LIMIT || (i > 0 && listed == i)))
			listed = i + 1;
	}
	return listed;
}

static int receive(const struct conversation *c, struct buf *out)
{
	struct receiving x = { .c = c,
			       .out = out,
			       .ids = ids_space_of(buf_span(&c->key)),
			       .listed = count_listed(c) };
	add_meta(&x);
	add_title(&x);
	for (uint32_t i = 0; i < c->n_turns; i++) {
		const struct turn *t = &c->turns[i];
		if (t->role == TURN_USER) {
			add_message(&x, &c->parts[t->first], t->n, t);
		} else if (t->role == TURN_ASSISTANT) {
			add_assistant(&x, t);
		} else {
			struct json_writer w = { .out = &x.item };
			as_responses_result(&w, c, t, api_takes_data, "");
			add_item(&x, t->time);
		}
		if (i + 1 != x.listed)
			continue;
		struct json_writer w = begin_line(&x, x.time, "compacted");
		json_begin_object(&w, "payload");
		json_write_word(&w, "message", "");
		json_begin_array(&w, "replacement_history");
		buf_add(out, buf_span(&x.list));
		json_note_copied(&w);
		json_end_array(&w);
		end_payload(&w);
		x.listed = 0;
	}
	end_turn(&x);
	buf_free_into(&x.thread, out);
	buf_free_into(&x.turn, out);
	buf_free_into(&x.item, out);
	buf_free_into(&x.list, out);
	return buf_error(out);
}

const struct dialect_receiving codex_receiving = {
	.window = WINDOW,
	.write = receive,
};
