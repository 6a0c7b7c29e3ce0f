#include "core/as/api.h"
#include "core/base/base64.h"
#include "core/base/text.h"
#include "core/json/writer.h"
#include "core/session/block.h"

static void write_picture(struct json_writer *w, const struct part *p)
{
	bool has_url = p->data.n == 0;
	json_begin_object(w, NULL);
	json_write_word(w, "type", "image");
	json_begin_object(w, "source");
	json_write_word(w, "type", has_url ? "url" : "base64");
	if (has_url) {
		json_write_value(w, "url", p->url);
	} else {
		json_write_string(w, "media_type", api_mime(p));
		json_write_string(w, "data", p->data);
	}
	json_end_object(w);
	json_end_object(w);
}

static void write_call(struct json_writer *w, const struct part *p)
{
	json_begin_object(w, NULL);
	json_write_word(w, "type", "tool_use");
	json_write_string(w, "id", p->id);
	api_write_name(w, "name", p->name, ANTHROPIC_NAME_LIMIT);
	conversation_write_object(w, "input", p->arguments);
	json_end_object(w);
}

/* Is it a block of its own, which the assistant and failures can't have? */
static bool is_document(const struct part *p)
{
	struct json source = json_get(p->document, "source");
	JSON_FIELDS(f, source, type, media_type, data, url);
	if (json_is_string(f.url))
		return json_is(f.type, SPAN("url")) &&
		       span_starts(f.url.raw, SPAN("\"https://"));
	if (!json_is_string(f.data))
		return false;
	if (json_is(f.type, SPAN("text")))
		return json_is(f.media_type, SPAN("text/plain"));
	struct span data = { f.data.raw.p + 1, f.data.raw.n - 2 };
	return json_is(f.type, SPAN("base64")) &&
	       json_is(f.media_type, SPAN("application/pdf")) &&
	       base64_is_strict(data);
}

static void write_document(struct json_writer *w, const struct part *p)
{
	/* These are about requests, of which each may have only a few. */
	static const struct json_change without[] = {
		{ "cache_control", { NULL, 0 } },
		{ "citations", { NULL, 0 } },
	};
	json_rewrite(json_begin_value(w, NULL), p->document, without, 2);
}

/* Trailing white space, which may not end the last message of an assistant. */
static void write_trimmed(struct json_writer *w, struct json text)
{
	struct buf plain BUF_SCOPED = BUF_INTO(w->out);
	json_decode(&plain, text);
	block_write_text(w, text_trim_end(buf_span(&plain)));
}

static void write_words(struct json_writer *w, const struct part *p)
{
	struct buf words BUF_SCOPED = BUF_INTO(w->out);
	api_add_text(&words, p);
	block_write_text(w, buf_span(&words));
}

void as_anthropic_part(struct json_writer *w, const struct part *p,
		       enum turn_role role)
{
	if (p->type == PART_CALL)
		write_call(w, p);
	else if (api_takes_picture(p))
		write_picture(w, p);
	else if (p->type == PART_PICTURE)
		write_words(w, p);
	else if (role != TURN_ASSISTANT && is_document(p))
		write_document(w, p);
	else
		block_write_text_value(w, p->text);
}

/* One that failed has texts alone. */
bool as_anthropic_has(const struct turn *result, const struct part *p)
{
	return !result->failed ||
	       (!api_takes_picture(p) &&
		(p->type == PART_PICTURE || !is_document(p)));
}

void as_anthropic_result(struct json_writer *w, const struct conversation *c,
			 const struct turn *t)
{
	uint32_t n = 0;
	json_begin_object(w, NULL);
	json_write_word(w, "type", "tool_result");
	json_write_string(w, "tool_use_id", t->call);
	json_begin_array(w, "content");
	for (uint32_t i = t->first; i < t->first + t->n; i++) {
		if (!as_anthropic_has(t, &c->parts[i]))
			continue;
		as_anthropic_part(w, &c->parts[i], TURN_RESULT);
		n++;
	}
	if (n == 0)
		block_write_text(w, SPAN(API_NO_OUTPUT));
	json_end_array(w);
	if (t->failed)
		json_write_bool(w, "is_error", true);
	json_end_object(w);
}

/* Write the results from `from` on, and return the turn behind them. */
static uint32_t write_results(struct json_writer *w,
			      const struct conversation *c, uint32_t from)
{
	uint32_t end = from;
	for (; end < c->n_turns && c->turns[end].role == TURN_RESULT; end++)
		as_anthropic_result(w, c, &c->turns[end]);
	for (uint32_t i = from; i < end; i++) {
		const struct turn *t = &c->turns[i];
		for (uint32_t k = t->first; k < t->first + t->n; k++) {
			if (!as_anthropic_has(t, &c->parts[k]))
				as_anthropic_part(w, &c->parts[k], TURN_USER);
		}
	}
	return end;
}

static void write_turn(struct json_writer *w, const struct conversation *c,
		       const struct turn *t)
{
	/* Results without parts may follow. */
	const struct turn *end = c->turns + c->n_turns;
	for (uint32_t i = t->first; i < t->first + t->n; i++) {
		const struct part *p = &c->parts[i];
		bool last = i + 1 == c->n_parts && t + 1 == end;
		if (last && t->role == TURN_ASSISTANT && p->type == PART_TEXT)
			write_trimmed(w, p->text);
		else
			as_anthropic_part(w, p, t->role);
	}
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

static bool is_assistant(const struct conversation *c, uint32_t turn)
{
	return turn < c->n_turns && c->turns[turn].role == TURN_ASSISTANT;
}

int as_anthropic(const struct conversation *c, struct buf *out)
{
	struct json_writer w = { .out = out };
	json_begin_array(&w, NULL);
	if (is_assistant(c, 0)) {
		begin_message(&w, "user");
		block_write_text(&w, SPAN(AS_ANTHROPIC_BEGINNING));
		end_message(&w);
	}
	for (uint32_t i = 0; i < c->n_turns;) {
		begin_message(&w, is_assistant(c, i) ? "assistant" : "user");
		if (is_assistant(c, i)) {
			write_turn(&w, c, &c->turns[i++]);
		} else {
			i = write_results(&w, c, i);
			while (i < c->n_turns && c->turns[i].role == TURN_USER)
				write_turn(&w, c, &c->turns[i++]);
		}
		end_message(&w);
	}
	json_end_lines(&w);
	return buf_error(out);
}
