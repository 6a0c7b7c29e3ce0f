#include "core/dialects/claude/sent.h"

#include <errno.h>
#include <stdlib.h>

#include "core/dialects/claude/chain.h"
#include "core/json/js.h"
#include "core/json/writer.h"

/* Follows results that have loaded tools. */
#define LOADED "Tool loaded."

/* Precedes what a hook has printed; the end is that of a line without one. */
#define HOOK_LEAD "The text below is the output of a hook"
#define HOOK_LEAD_END ", not a message from the user."

bool claude_is_users(const struct piece *p)
{
	return p->kind != CLAUDE_ASSISTANT && p->kind != CLAUDE_ATTACHMENT;
}

uint32_t claude_response_pieces(const struct sending *x, uint32_t from)
{
	uint32_t end = from + 1;
	while (end < x->n && claude_same_response(x->s, x->list[from].entry,
						  x->list[end].entry))
		end++;
	return end;
}

/* -- reading */

static int add_piece(struct sending *x, uint32_t entry, uint8_t flags,
		     struct span content)
{
	struct piece p = { .entry = entry,
			   .kind = claude_entry(x->s, entry)->part,
			   .flags = flags,
			   .from = x->json.len };
	json_add_well_formed(&x->json, content);
	return sending_add(x, p);
}

static int read_assistant(struct sending *x, uint32_t entry, struct json line)
{
	const struct claude_sent *c = x->own;
	JSON_FIELDS(m, json_get(line, "message"), content, model);
	uint8_t flags = 0;
	if ((json_truthy(json_get(line, "isApiErrorMessage")) &&
	     json_is(m.model, SPAN("<synthetic>"))) ||
	    !block_is_content(m.content))
		return 0;
	if (claude_entry(x->s, entry)->wordless)
		flags |= CLAUDE_WORDLESS;
	if (c->model.n > 0 && !json_is(m.model, c->model))
		flags |= CLAUDE_OTHER_MODEL;
	int err = add_piece(x, entry, flags, m.content.raw);
	return err ? err : claude_add_calls(x);
}

/* Append a content with a text that tools were loaded, unless one says so. */
static void add_loaded(struct buf *out, struct json content)
{
	struct json_writer w = { .out = out };
	JSON_EACH(block, content) {
		if (BLOCK_IS(block, "text") &&
		    span_starts(json_get(block, "text").raw, SPAN("\"" LOADED)))
			return;
	}
	json_begin_array(&w, NULL);
	json_write_elements(&w, content);
	block_write_text(&w, SPAN(LOADED));
	json_end_array(&w);
}

/* The sentence counts if it is one line, and begins like the agent's. */
static void add_lead(struct buf *out, struct json lead)
{
	struct buf text BUF_SCOPED = BUF_INTO(out);
	json_decode(&text, lead);
	struct span own = buf_span(&text);
	bool counts = span_starts(own, SPAN(HOOK_LEAD)) &&
		      !memchr(own.p, '\n', own.n);
	claude_add_guarded(out, counts ? own : SPAN(HOOK_LEAD HOOK_LEAD_END),
			   CLAUDE_GUARD_HOOK);
	buf_addc(out, '\n');
}

/*
 * Append the content of a line that is no user's, but a note to the model.
 * Returns whether a hook has printed it: then its origin says no more.
 */
static bool add_meta_note(struct buf *out, struct json line,
			  struct json content)
{
	JSON_FIELDS(f, line, isMeta, ownNote, hookText, hookTextLead);
	bool own = json_type(f.ownNote) == JSON_TRUE;
	bool hook = json_type(f.hookText) == JSON_TRUE;
	struct json only = block_only_text(block_read_api, content);
	struct buf text BUF_SCOPED = BUF_INTO(out);
	struct buf note BUF_SCOPED = BUF_INTO(out);
	if (json_type(f.isMeta) != JSON_TRUE || (!own && !hook) ||
	    !json_is_string(only))
		return false;
	json_decode(&text, only);
	if (hook) {
		add_lead(&note, f.hookTextLead);
		claude_add_guarded(&note, buf_span(&text), CLAUDE_GUARD_HOOK);
		buf_clear(&text);
		claude_add_reminder(&text, buf_span(&note));
		buf_clear(&note);
	}
	if (own)
		claude_add_reminder(&note, buf_span(&text));
	json_quote(out, buf_span(own ? &note : &text));
	return hook;
}

/* Change what is sent into what other agents are given. False: nothing is. */
static bool take(struct json content, struct buf *changed)
{
	struct buf sent BUF_SCOPED = BUF_INTO(changed);
	if (changed->len == 0)
		return claude_take(content, changed);
	buf_add(&sent, buf_span(changed));
	buf_clear(changed);
	claude_take_bare((struct json){ .raw = buf_span(&sent) }, changed);
	return true;
}

static int read_user(struct sending *x, uint32_t entry, struct json line)
{
	struct json content = json_at(line, SPAN("message.content"));
	struct buf changed BUF_SCOPED = { 0 };
	struct buf note BUF_SCOPED = BUF_INTO(&changed);
	uint8_t flags = 0;
	bool only_results = json_type(content) == JSON_ARRAY;
	bool loads = false;
	if (!block_is_content(content))
		return 0;
	JSON_EACH(block, content) {
		bool result = BLOCK_IS(block, "tool_result");
		only_results = only_results && result;
		loads = loads ||
			(result && claude_has_block(json_get(block, "content"),
						    "tool_reference"));
	}
	bool hook = add_meta_note(&note, line, content);
	struct json noted = content;
	if (note.len > 0)
		noted = (struct json){ .raw = buf_span(&note) };
	if (!hook && claude_add_notification(line, noted, &changed))
		only_results = false;
	else if (note.len > 0)
		buf_add(&changed, noted.raw);
	else if (loads)
		add_loaded(&changed, content);
	/* The agent's own note is for nobody else. */
	bool own = note.len > 0 &&
		   json_type(json_get(line, "ownNote")) == JSON_TRUE;
	if (only_results)
		flags |= CLAUDE_ONLY_RESULTS;
	if (x->to->form == MESSAGE_FORM_TAKEN &&
	    (!take(content, &changed) || own))
		flags |= CLAUDE_NOT_TAKEN;
	int err = buf_error(&changed);
	if (!err)
		err = add_piece(x, entry, flags,
				changed.len > 0 ? buf_span(&changed)
						: content.raw);
	return err;
}

static int read_entry(struct sending *x, uint32_t entry, struct buf *line)
{
	struct json json;
	struct json content;
	enum claude_part part = claude_entry(x->s, entry)->part;
	if (part == CLAUDE_LINK || part == CLAUDE_SYSTEM ||
	    part == CLAUDE_BOUNDARY)
		return 0;
	int err = session_read(x->s, entry, line, &json);
	if (err)
		return err;
	switch (part) {
	case CLAUDE_ASSISTANT:
		return read_assistant(x, entry, json);
	case CLAUDE_COMMAND:
		content = json_get(json, "content");
		if (!json_is_string(content))
			return 0;
		return add_piece(x, entry, 0,
				 json_truthy(content)
					 ? content.raw
					 : SPAN("\"(no content)\""));
	case CLAUDE_ATTACHMENT:
		return add_piece(x, entry, 0, json.raw);
	default:
		return read_user(x, entry, json);
	}
}

int claude_read_lines(struct sending *x)
{
	struct buf line BUF_SCOPED = { 0 };
	int err = 0;
	for (uint32_t i = 0; i < x->path->n && !err; i++)
		err = read_entry(x, x->path->list[i], &line);
	return err;
}

int claude_move_attachments(struct sending *x)
{
	struct piece *list = x->list;
	struct piece *held = malloc((x->n + 1) * sizeof(*held));
	uint32_t n_held = 0;
	uint32_t n = 0;
	if (!held)
		return -ENOMEM;
	for (uint32_t i = 0; i < x->n; i++) {
		const struct piece p = list[i];
		bool follows = n > 0 && list[n - 1].kind == CLAUDE_ASSISTANT;
		if (follows && p.kind == CLAUDE_ATTACHMENT) {
			held[n_held++] = p;
			continue;
		}
		if (!follows ||
		    !claude_same_response(x->s, list[n - 1].entry, p.entry)) {
			memcpy(list + n, held, n_held * sizeof(*held));
			n += n_held;
			n_held = 0;
		}
		list[n++] = p;
	}
	if (n_held > 0)
		memcpy(list + n, held, n_held * sizeof(*held));
	free(held);
	return 0;
}

/* -- dropping */

/* Has a content nothing but blank texts? */
static bool is_blank(struct json content)
{
	if (json_is_string(content))
		return js_is_blank(content);
	JSON_EACH(block, content) {
		if (!BLOCK_IS(block, "text") ||
		    !js_is_blank(json_get(block, "text")))
			return false;
	}
	return json_has_members(content);
}

int claude_drop_blank_lines(struct sending *x)
{
	for (uint32_t i = 0; i < x->n; i++) {
		struct piece *p = &x->list[i];
		if (p->kind != CLAUDE_ATTACHMENT &&
		    is_blank(sending_json(x, p)))
			p->dropped = true;
	}
	return 0;
}

/* The text that an agent sends for a response without any. */
static bool is_placeholder(struct json content)
{
	struct json_walk w = json_walk(content);
	struct json block;
	return json_next_element(&w, &block) &&
	       json_is(json_get(block, "text"), SPAN("(no content)")) &&
	       !json_next_element(&w, &block);
}

int claude_drop_wordless_responses(struct sending *x)
{
	for (uint32_t i = 0, end; i < x->n; i = end) {
		bool wordless = x->list[i].kind == CLAUDE_ASSISTANT;
		end = claude_response_pieces(x, i);
		for (uint32_t k = i; k < end && wordless; k++) {
			const struct piece *p = &x->list[k];
			wordless = p->dropped || (p->flags & CLAUDE_WORDLESS) ||
				   is_placeholder(sending_json(x, p));
		}
		for (uint32_t k = i; k < end && wordless; k++)
			x->list[k].dropped = true;
	}
	return 0;
}

static void keep_blank(struct sending *x, struct piece *p, bool alone)
{
	p->dropped = false;
	if (alone && json_type(sending_json(x, p)) == JSON_STRING)
		return;
	p->from = x->json.len;
	buf_adds(&x->json, "[{\"type\":\"text\",\"text\":\"(no content)\"}]");
	p->to = x->json.len;
}

int claude_keep_blank_turns(struct sending *x)
{
	for (uint32_t i = 0, end; i < x->n; i = end) {
		struct piece *first = NULL;
		uint32_t n = 0;
		bool blank = true;
		for (end = i; end < x->n; end++) {
			struct piece *p = &x->list[end];
			if (p->kind == CLAUDE_ASSISTANT && !p->dropped)
				break;
			blank = blank && p->dropped;
			n += p->kind != CLAUDE_ASSISTANT;
			if (!first && p->kind != CLAUDE_ASSISTANT)
				first = p;
		}
		if (first && blank)
			keep_blank(x, first, n == 1);
		end += end == i;
	}
	return 0;
}
