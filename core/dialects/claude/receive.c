/*
 * A conversation of another agent as a transcript that Claude Code resumes
 * (core/session/dialect/sending.h). Its blocks are those of core/as/api.h,
 * because the agent posts them as they are. Measured with 2.1.332:
 *
 *   - The lines are one chain. Each block of a response has a line, as the
 *     agent writes it, and so has each result.
 *   - Responses are from the model "<synthetic>", as those that the agent makes
 *     up itself. With the name of a foreign model it says at each start that it
 *     could not restore that one. They have no usage, so the agent estimates
 *     how much the conversation takes.
 *   - Calls of tools that it does not have are sent, but not shown.
 *   - The agent sends the calls of a response behind its texts.
 *   - It asks for a time in each line: 1970, if nothing says when.
 *   - A title for its list, and a pin at the last line, follow.
 *
 * If nothing was said, only the title is there: the agent finds no
 * conversation in it.
 */
#include "core/as/api.h"
#include "core/base/text.h"
#include "core/dialects/claude/claude.h"
#include "core/dialects/kit/ids.h"
#include "core/dialects/kit/line.h"

/* The version whose lines these are like: it decides what a pin does. */
#define VERSION "2.1.332"
/* Of a response's id, which is no UUID. */
#define ID_DIGITS 24

struct receiving {
	const struct conversation *c;
	struct id_space ids;
	struct buf session; /* the new ids are JSON: the session's, */
	struct buf last;    /* that of the last line, or null, */
	struct buf next;    /* and that of the next one */
	uint32_t n;	    /* lines */
	struct buf *out;
};

/* Begin a line, up to its message. */
static struct json_writer begin_line(struct receiving *x, const char *type)
{
	struct json_writer w = { .out = x->out };
	buf_clear(&x->next);
	ids_quote_derived(&x->ids, &x->next, "claude", "line", x->n++);
	json_begin_object(&w, NULL);
	json_write_buf(&w, "parentUuid", &x->last);
	json_write_bool(&w, "isSidechain", false);
	json_write_word(&w, "type", type);
	json_begin_object(&w, "message");
	return w;
}

static void end_line(struct receiving *x, struct json_writer *w, int64_t time)
{
	json_end_object(w);
	json_write_buf(w, "uuid", &x->next);
	/* As in a fork of the agent's own, in which a line keeps its uuid. */
	if (x->n == 1 && text_is_uuid(buf_span(&x->c->id))) {
		json_begin_object(w, "forkedFrom");
		json_write_string_buf(w, "sessionId", &x->c->id);
		json_write_buf(w, "messageUuid", &x->next);
		json_end_object(w);
	}
	line_add_time(w, "timestamp", time);
	json_write_word(w, "userType", "external");
	if (x->c->cwd.len > 0)
		json_write_string_buf(w, "cwd", &x->c->cwd);
	json_write_buf(w, "sessionId", &x->session);
	json_write_word(w, "version", VERSION);
	line_end(w);
	buf_clear(&x->last);
	buf_add(&x->last, buf_span(&x->next));
	buf_inherit(&x->last, &x->next);
}

static struct json_writer begin_user(struct receiving *x)
{
	struct json_writer w = begin_line(x, "user");
	json_write_word(&w, "role", "user");
	return w;
}

/* What the user says: a string, if it is no more than one text. */
static void add_user(struct receiving *x, const struct turn *t)
{
	const struct part *parts = x->c->parts + t->first;
	struct json_writer w = begin_user(x);
	if (t->n == 1 && parts->type == PART_TEXT) {
		json_write_value(&w, "content", parts->text);
	} else {
		json_begin_array(&w, "content");
		for (uint32_t i = 0; i < t->n; i++)
			as_anthropic_part(&w, &parts[i], t->role);
		json_end_array(&w);
	}
	end_line(x, &w, t->time);
}

/* What a result could not have stands in a line behind the last one. */
static void add_rest(struct receiving *x, const struct turn *t)
{
	for (uint32_t i = t->first; i < t->first + t->n; i++) {
		const struct part *p = &x->c->parts[i];
		if (as_anthropic_has(t, p))
			continue;
		struct json_writer w = begin_user(x);
		json_begin_array(&w, "content");
		as_anthropic_part(&w, p, TURN_USER);
		json_end_array(&w);
		end_line(x, &w, t->time);
	}
}

/* Add the results from a turn on, and return the turn behind them. */
static uint32_t add_results(struct receiving *x, uint32_t from)
{
	const struct conversation *c = x->c;
	uint32_t end = from;
	for (; end < c->n_turns && c->turns[end].role == TURN_RESULT; end++) {
		struct json_writer w = begin_user(x);
		json_begin_array(&w, "content");
		as_anthropic_result(&w, c, &c->turns[end]);
		json_end_array(&w);
		end_line(x, &w, c->turns[end].time);
	}
	for (uint32_t i = from; i < end; i++)
		add_rest(x, &c->turns[i]);
	return end;
}

/* "msg_" and digits of a derived id. */
static void write_response_id(const struct receiving *x, struct json_writer *w,
			      uint32_t turn)
{
	struct buf uuid BUF_SCOPED = BUF_INTO(x->out);
	struct buf id BUF_SCOPED = { 0 };
	ids_quote_derived(&x->ids, &uuid, "claude", "response", turn);
	buf_adds(&id, "msg_");
	for (size_t i = 1; i < uuid.len && id.len < 4 + ID_DIGITS; i++) {
		if (uuid.data[i] != '-')
			buf_addc(&id, uuid.data[i]);
	}
	json_write_string_buf(w, "id", &id);
}

static void add_response(struct receiving *x, uint32_t turn)
{
	static const struct json no_usage = {
		.raw = SPAN("{\"input_tokens\":0,\"output_tokens\":0,"
			    "\"cache_creation_input_tokens\":0,"
			    "\"cache_read_input_tokens\":0}")
	};
	const struct turn *t = &x->c->turns[turn];
	const char *stop = "end_turn";
	for (uint32_t i = t->first; i < t->first + t->n; i++) {
		if (x->c->parts[i].type == PART_CALL)
			stop = "tool_use";
	}
	for (uint32_t i = t->first; i < t->first + t->n; i++) {
		struct json_writer w = begin_line(x, "assistant");
		write_response_id(x, &w, turn);
		json_write_word(&w, "type", "message");
		json_write_word(&w, "role", "assistant");
		json_write_word(&w, "model", "<synthetic>");
		json_begin_array(&w, "content");
		as_anthropic_part(&w, &x->c->parts[i], t->role);
		json_end_array(&w);
		json_write_word(&w, "stop_reason", stop);
		json_write_null(&w, "stop_sequence");
		json_write_value(&w, "usage", no_usage);
		end_line(x, &w, t->time);
	}
}

static int write(const struct conversation *c, struct buf *out)
{
	struct receiving x = { .c = c, .out = out };
	x.ids = ids_space_of(buf_span(&c->key));
	ids_quote_derived(&x.ids, &x.session, "claude", "session", 0);
	buf_adds(&x.last, "null");
	if (c->n_turns > 0 && c->turns[0].role == TURN_ASSISTANT) {
		struct json_writer w = begin_user(&x);
		json_write_word(&w, "content", AS_ANTHROPIC_BEGINNING);
		end_line(&x, &w, c->begun);
	}
	for (uint32_t i = 0; i < c->n_turns;) {
		if (c->turns[i].role == TURN_RESULT)
			i = add_results(&x, i);
		else if (c->turns[i].role == TURN_ASSISTANT)
			add_response(&x, i++);
		else
			add_user(&x, &c->turns[i++]);
	}
	struct json_writer title = line_begin(out, "custom-title");
	json_write_string_buf(&title, "customTitle", &c->title);
	json_write_buf(&title, "sessionId", &x.session);
	line_end(&title);
	if (x.n > 0)
		claude_add_pin(out, &x.last, &x.session);
	buf_free_into(&x.session, out);
	buf_free_into(&x.last, out);
	buf_free_into(&x.next, out);
	return buf_error(out);
}

const struct dialect_receiving claude_receiving = {
	.window = 1000000,
	.write = write,
};
