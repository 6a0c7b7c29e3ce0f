#include "core/dialects/claude/sent.h"

#include <errno.h>
#include <stdlib.h>

#include "core/base/array.h"
#include "core/dialects/claude/attachment.h"
#include "core/dialects/claude/ingest.h"
#include "core/dialects/claude/reminder.h"
#include "core/json/surrogates.h"

/* Follows results that have loaded tools. */
#define LOADED "Tool loaded."

/* Precedes what a hook has printed; the end is that of a line without one. */
#define HOOK_LEAD "The text below is the output of a hook"
#define HOOK_LEAD_END ", not a message from the user."

struct reading {
	const struct session *s;
	struct span model;
	struct claude_sent *sent;
	struct buf line;
};

static struct span id_at(const struct claude_sent *sent, uint32_t at)
{
	uint32_t n;
	memcpy(&n, sent->ids.data + at, sizeof(n));
	return (struct span){ sent->ids.data + at + sizeof(n), n };
}

struct span claude_call_id(const struct claude_sent *sent,
			   const struct claude_call *call)
{
	return id_at(sent, call->id);
}

static struct span call_key(const void *owner, uint32_t value,
			    struct idtable_scratch *scratch)
{
	const struct claude_sent *sent = owner;
	(void)scratch;
	return id_at(sent, sent->calls[value].id);
}

struct json claude_piece_content(const struct claude_sent *sent,
				 const struct claude_piece *p)
{
	return (struct json){ .raw = { sent->text.data + p->from,
				       p->to - p->from } };
}

struct claude_call *claude_find_call(struct claude_sent *sent, struct json id)
{
	struct buf scratch = { 0 };
	uint32_t at =
		idtable_find(&sent->table, sent, ingest_string(&scratch, id));
	sent->failed = sent->failed || scratch.failed;
	buf_free(&scratch);
	return at == IDTABLE_NONE ? NULL : &sent->calls[at];
}

/* Store an id; *at is where it is in sent->ids. */
static int add_id(struct claude_sent *sent, struct span id, uint32_t *at)
{
	uint32_t n = (uint32_t)id.n;
	if (id.n > UINT32_MAX / 4 || sent->ids.len > UINT32_MAX / 2)
		return -EFBIG;
	*at = (uint32_t)sent->ids.len;
	buf_add(&sent->ids, (struct span){ (const char *)&n, sizeof(n) });
	buf_add(&sent->ids, id);
	return buf_error(&sent->ids);
}

static int add_call(struct claude_sent *sent, struct json id)
{
	struct buf scratch = { 0 };
	struct span key = ingest_string(&scratch, id);
	if (array_reserve(&sent->calls, &sent->cap_calls, sent->n_calls, 1) <
		    0 ||
	    buf_error(&scratch)) {
		buf_free(&scratch);
		return -ENOMEM;
	}
	bool again = idtable_find(&sent->table, sent, key) != IDTABLE_NONE;
	struct claude_call *call = &sent->calls[sent->n_calls];
	*call = (struct claude_call){ .again = again };
	int err = add_id(sent, key, &call->id);
	if (!err && !again)
		err = idtable_add(&sent->table, key, (uint32_t)sent->n_calls);
	if (!err)
		sent->n_calls++;
	buf_free(&scratch);
	return err;
}

static int add_calls(struct claude_sent *sent, struct claude_piece *p)
{
	struct json content = claude_piece_content(sent, p);
	struct json_walk w = json_walk(content);
	struct json block;
	int err = 0;
	p->first_call = (uint32_t)sent->n_calls;
	while (json_type(content) == JSON_ARRAY && !err &&
	       json_next_element(&w, &block)) {
		if (json_is(json_get(block, "type"), SPAN("tool_use")))
			err = add_call(sent, json_get(block, "id"));
	}
	p->n_calls = (uint32_t)sent->n_calls - p->first_call;
	return err;
}

/* The id in the table of served calls at an offset in sent->ids. */
static struct span served_key(const void *owner, uint32_t at,
			      struct idtable_scratch *scratch)
{
	(void)scratch;
	return id_at(owner, at);
}

/* Note the calls that the blocks of a response's piece have results of. */
static int add_served(struct claude_sent *sent, const struct claude_piece *p)
{
	struct json content = claude_piece_content(sent, p);
	struct json_walk w = json_walk(content);
	struct json block;
	struct buf scratch = { 0 };
	int err = 0;
	while (json_type(content) == JSON_ARRAY && !err &&
	       json_next_element(&w, &block)) {
		struct json id = json_get(block, "tool_use_id");
		uint32_t at = 0;
		if (json_type(id) != JSON_STRING)
			continue;
		buf_clear(&scratch);
		struct span key = ingest_string(&scratch, id);
		err = buf_error(&scratch);
		if (err ||
		    idtable_find(&sent->served, sent, key) != IDTABLE_NONE)
			continue;
		err = add_id(sent, key, &at);
		if (!err)
			err = idtable_add(&sent->served, key, at);
	}
	buf_free(&scratch);
	return err;
}

static int find_served(struct claude_sent *sent, size_t response)
{
	size_t end = claude_pieces_end(sent, response);
	int err = 0;
	idtable_free(&sent->served);
	sent->server = response;
	for (size_t i = response; i < end && !err; i++)
		err = add_served(sent, &sent->list[i]);
	return err;
}

int claude_is_served(struct claude_sent *sent, size_t response, struct json id,
		     bool *served)
{
	struct buf scratch = { 0 };
	int err = 0;
	if (sent->server != response)
		err = find_served(sent, response);
	struct span key = ingest_string(&scratch, id);
	if (!err)
		err = buf_error(&scratch);
	*served =
		!err && idtable_find(&sent->served, sent, key) != IDTABLE_NONE;
	buf_free(&scratch);
	return err;
}

/* Add a piece with a content. */
static int add_piece(struct claude_sent *sent, struct claude_piece p,
		     struct json content)
{
	if (array_reserve(&sent->list, &sent->cap, sent->n, 1) < 0)
		return -ENOMEM;
	p.from = sent->text.len;
	json_add_well_formed(&sent->text, content.raw);
	p.to = sent->text.len;
	int err = buf_error(&sent->text);
	if (!err && p.assistant)
		err = add_calls(sent, &p);
	sent->list[sent->n++] = p;
	return err;
}

static int read_assistant(struct reading *r, struct claude_piece p,
			  struct json json)
{
	struct json message = json_get(json, "message");
	struct json content = json_get(message, "content");
	struct json model = json_get(message, "model");
	if (json_truthy(json_get(json, "isApiErrorMessage")) ||
	    !block_is_content(content))
		return 0;
	p.assistant = true;
	p.response = claude_entry(r->s, p.entry)->response;
	p.mute = claude_entry(r->s, p.entry)->mute;
	p.foreign = r->model.n > 0 && !json_is(model, r->model);
	return add_piece(r->sent, p, content);
}

/* Does the result of a tool name tools that it has loaded? */
static bool has_reference(struct json result)
{
	struct json content = json_get(result, "content");
	struct json_walk w = json_walk(content);
	struct json block;
	while (json_type(content) == JSON_ARRAY &&
	       json_next_element(&w, &block)) {
		if (json_is(json_get(block, "type"), SPAN("tool_reference")))
			return true;
	}
	return false;
}

static bool says_loaded(struct json text)
{
	struct buf scratch = { 0 };
	bool says = json_type(text) == JSON_STRING &&
		    span_starts(ingest_string(&scratch, text), SPAN(LOADED));
	buf_free(&scratch);
	return says;
}

/* Does the agent tell the model that a line's results have loaded tools? */
static bool loads(struct json content)
{
	struct json_walk w = json_walk(content);
	struct json block;
	bool any = false;
	while (json_type(content) == JSON_ARRAY &&
	       json_next_element(&w, &block)) {
		struct json type = json_get(block, "type");
		if (json_is(type, SPAN("text")) &&
		    says_loaded(json_get(block, "text")))
			return false;
		any = any || (json_is(type, SPAN("tool_result")) &&
			      has_reference(block));
	}
	return any;
}

/* Add the text that says so behind the blocks. */
static void add_loaded(struct buf *out, struct json content)
{
	struct json_writer w = { .out = out };
	struct json_walk walk = json_walk(content);
	struct json block;
	json_begin_array(&w, NULL);
	while (json_next_element(&walk, &block))
		json_write_value(&w, NULL, block);
	block_write_text(&w, SPAN(LOADED));
	json_end_array(&w);
}

/* The text of a content that has just one; absent for others. */
static struct json only_text(struct json content)
{
	struct json_walk w = json_walk(content);
	struct json block;
	struct json more;
	if (json_type(content) == JSON_STRING)
		return content;
	if (json_type(content) == JSON_ARRAY && json_next_element(&w, &block) &&
	    !json_next_element(&w, &more) &&
	    json_is(json_get(block, "type"), SPAN("text")))
		return json_get(block, "text");
	return (struct json){ 0 };
}

/* A line that is no user's, but a note to the model. */
struct meta_note {
	struct json text; /* absent: it is none */
	bool own;	  /* of the agent's own */
	bool hook;	  /* what a hook has printed */
	struct json lead; /* then: the sentence before it */
};

static struct meta_note read_meta_note(struct json line, struct json content)
{
	JSON_FIELDS(f, line, isMeta, ownNote, hookText, hookTextLead);
	struct meta_note n = { .own = json_type(f.ownNote) == JSON_TRUE,
			       .hook = json_type(f.hookText) == JSON_TRUE,
			       .lead = f.hookTextLead };
	if (json_type(f.isMeta) == JSON_TRUE && (n.own || n.hook))
		n.text = only_text(content);
	return n;
}

/* The sentence counts if it is one line, and begins like the agent's. */
static void add_lead(struct buf *out, struct json lead)
{
	struct buf text = { 0 };
	json_decode(&text, lead);
	struct span own = buf_span(&text);
	bool counts = span_starts(own, SPAN(HOOK_LEAD)) &&
		      !memchr(own.p, '\n', own.n);
	claude_add_guarded(out, counts ? own : SPAN(HOOK_LEAD HOOK_LEAD_END),
			   CLAUDE_GUARD_HOOK);
	buf_addc(out, '\n');
	buf_free_into(&text, out);
}

static void wrap(struct buf *text)
{
	struct buf note = { 0 };
	claude_add_reminder(&note, buf_span(text));
	buf_free_into(text, &note);
	*text = note;
}

static void add_meta_note(struct buf *out, const struct meta_note *n)
{
	struct buf text = { 0 };
	struct buf note = { 0 };
	json_decode(&text, n->text);
	if (n->hook) {
		add_lead(&note, n->lead);
		claude_add_guarded(&note, buf_span(&text), CLAUDE_GUARD_HOOK);
		wrap(&note);
	} else {
		buf_add(&note, buf_span(&text));
	}
	if (n->own)
		wrap(&note);
	json_quote(out, buf_span(&note));
	if (text.failed || note.failed)
		out->failed = true;
	buf_free(&text);
	buf_free(&note);
}

/* What tells of a task, or is a note to the model, is sent in a reminder. */
static int read_user(struct reading *r, struct claude_piece p, struct json json)
{
	struct json content = json_at(json, SPAN("message.content"));
	const struct meta_note note = read_meta_note(json, content);
	struct buf changed = { 0 };
	if (!block_is_content(content))
		return 0;
	if (!claude_add_notification(json, &changed)) {
		p.loads = loads(content);
		if (p.loads)
			add_loaded(&changed, content);
		else if (json_type(note.text) == JSON_STRING)
			add_meta_note(&changed, &note);
	}
	if (changed.len > 0)
		content.raw = buf_span(&changed);
	int err = buf_error(&changed);
	if (!err)
		err = add_piece(r->sent, p, content);
	buf_free(&changed);
	return err;
}

static int read_command(struct reading *r, struct claude_piece p,
			struct json json)
{
	struct json content = json_get(json, "content");
	if (json_type(content) != JSON_STRING)
		return 0;
	if (content.raw.n == 2)
		content.raw = SPAN("\"(no content)\"");
	return add_piece(r->sent, p, content);
}

static int read_entry(struct reading *r, uint32_t entry)
{
	struct claude_piece p = { .entry = entry };
	struct json json;
	enum claude_part part =
		(enum claude_part)claude_entry(r->s, entry)->part;
	if (part == CLAUDE_LINK || part == CLAUDE_SYSTEM ||
	    part == CLAUDE_BOUNDARY)
		return 0;
	int err = session_read(r->s, entry, &r->line, &json);
	if (err)
		return err;
	switch (part) {
	case CLAUDE_ASSISTANT:
		return read_assistant(r, p, json);
	case CLAUDE_COMMAND:
		return read_command(r, p, json);
	case CLAUDE_ATTACHMENT:
		p.note = true;
		return add_piece(r->sent, p, json);
	default:
		return read_user(r, p, json);
	}
}

/* Mark the calls that the blocks of a user's line answer. */
static void mark_answered(struct claude_sent *sent,
			  const struct claude_piece *p)
{
	struct json content = claude_piece_content(sent, p);
	struct json_walk w = json_walk(content);
	struct json block;
	while (json_type(content) == JSON_ARRAY &&
	       json_next_element(&w, &block)) {
		struct json id = json_get(block, "tool_use_id");
		struct claude_call *call = NULL;
		if (json_is(json_get(block, "type"), SPAN("tool_result")))
			call = claude_find_call(sent, id);
		if (call)
			call->answered = true;
	}
}

/* Does a user's line have only results? */
static bool only_answers(const struct claude_sent *sent,
			 const struct claude_piece *p)
{
	struct json content = claude_piece_content(sent, p);
	struct json_walk w = json_walk(content);
	struct json block;
	if (json_type(content) != JSON_ARRAY)
		return false;
	while (json_next_element(&w, &block)) {
		if (!json_is(json_get(block, "type"), SPAN("tool_result")) &&
		    !(p->loads && says_loaded(json_get(block, "text"))))
			return false;
	}
	return true;
}

static bool is_one_response(const struct claude_piece *a,
			    const struct claude_piece *b)
{
	return a->assistant && b->assistant && a->response != 0 &&
	       a->response == b->response;
}

size_t claude_pieces_end(const struct claude_sent *sent, size_t from)
{
	size_t end = from + 1;
	while (end < sent->n &&
	       is_one_response(&sent->list[from], &sent->list[end]))
		end++;
	return end;
}

/* Is a text blank, as JavaScript's trim() has it? */
static bool is_blank(struct json content)
{
	struct json_walk w = json_walk(content);
	struct json block;
	if (json_type(content) == JSON_STRING)
		return claude_is_blank(content);
	if (!json_has_members(content))
		return false;
	while (json_next_element(&w, &block)) {
		if (!json_is(json_get(block, "type"), SPAN("text")) ||
		    !claude_is_blank(json_get(block, "text")))
			return false;
	}
	return true;
}

/* Is nothing of these pieces of a response sent? */
static bool is_silent(const struct claude_sent *sent, size_t from, size_t end)
{
	for (size_t i = from; i < end; i++) {
		const struct claude_piece *p = &sent->list[i];
		if (!p->mute && !is_blank(claude_piece_content(sent, p)))
			return false;
	}
	return true;
}

/*
 * The first piece of the last response of which something is sent, if nothing
 * but results follows it.
 */
static size_t find_tip(const struct claude_sent *sent)
{
	for (size_t i = sent->n; i > 0;) {
		const struct claude_piece *p = &sent->list[--i];
		size_t end = i + 1;
		if (!p->assistant && !p->note && !only_answers(sent, p))
			break;
		if (!p->assistant)
			continue;
		while (i > 0 &&
		       is_one_response(&sent->list[i - 1], &sent->list[i]))
			i--;
		if (!is_silent(sent, i, end))
			return i;
	}
	return sent->n;
}

/* Has the response that begins at a piece a call? */
static bool has_call(const struct claude_sent *sent, size_t from)
{
	size_t end = claude_pieces_end(sent, from);
	for (size_t i = from; i < end; i++) {
		if (sent->list[i].n_calls > 0)
			return true;
	}
	return false;
}

/* The first piece after the user's last words, if the last response calls. */
static size_t find_open_turn(const struct claude_sent *sent)
{
	size_t i = sent->tip;
	if (i == sent->n || !has_call(sent, i))
		return i;
	while (i > 0) {
		const struct claude_piece *p = &sent->list[i - 1];
		if (!p->assistant && !p->note && !only_answers(sent, p))
			break;
		i--;
	}
	return i;
}

static bool has_answer(const struct claude_sent *sent,
		       const struct claude_piece *p)
{
	for (uint32_t i = 0; i < p->n_calls; i++) {
		struct span id =
			claude_call_id(sent, &sent->calls[p->first_call + i]);
		if (sent->calls[idtable_find(&sent->table, sent, id)].answered)
			return true;
	}
	return false;
}

/* The text that an agent sends for a response without any. */
static bool is_placeholder(struct json content)
{
	struct json_walk w = json_walk(content);
	struct json block;
	return json_type(content) == JSON_ARRAY &&
	       json_next_element(&w, &block) &&
	       json_is(json_get(block, "text"), SPAN("(no content)")) &&
	       !json_next_element(&w, &block);
}

static void drop_lines(struct claude_sent *sent)
{
	size_t open_turn = find_open_turn(sent);
	for (size_t i = 0; i < sent->n; i++) {
		struct claude_piece *p = &sent->list[i];
		struct json content = claude_piece_content(sent, p);
		bool open =
			p->n_calls > 0 && !has_answer(sent, p) && i < open_turn;
		bool blank = !p->note && is_blank(content);
		p->dropped = open || blank;
		/* Alone it is no response. */
		if (p->assistant && is_placeholder(content))
			p->mute = true;
	}
}

/* A text alone is sent as it is, all else as one without content. */
static void keep_blank(struct claude_sent *sent, struct claude_piece *p,
		       bool alone)
{
	p->dropped = false;
	if (alone && json_type(claude_piece_content(sent, p)) == JSON_STRING)
		return;
	p->from = sent->text.len;
	buf_adds(&sent->text, "[{\"type\":\"text\",\"text\":"
			      "\"(no content)\"}]");
	p->to = sent->text.len;
}

/* A turn of the user of which nothing is left is sent all the same. */
static void keep_blank_turns(struct claude_sent *sent)
{
	for (size_t i = 0, end; i < sent->n; i = end) {
		struct claude_piece *first = NULL;
		size_t n = 0;
		bool blank = true;
		for (end = i; end < sent->n; end++) {
			struct claude_piece *p = &sent->list[end];
			if (p->assistant && !p->dropped)
				break;
			blank = blank && p->dropped;
			n += !p->assistant;
			if (!first && !p->assistant)
				first = p;
		}
		if (first && blank)
			keep_blank(sent, first, n == 1);
		end += end == i;
	}
}

/* Drop responses of which only thinking, or a placeholder, is left. */
static void drop_mute(struct claude_sent *sent)
{
	for (size_t i = 0; i < sent->n;) {
		size_t end = claude_pieces_end(sent, i);
		bool mute = sent->list[i].assistant;
		for (size_t k = i; k < end; k++)
			mute = mute &&
			       (sent->list[k].dropped || sent->list[k].mute);
		for (; i < end; i++)
			sent->list[i].dropped = sent->list[i].dropped || mute;
	}
}

/* Put the notes among the lines of a response behind them: from i to `last`. */
static int move_notes(struct claude_sent *sent, size_t i, size_t last)
{
	struct claude_piece *notes = malloc((last - i + 1) * sizeof(*notes));
	size_t n = 0;
	size_t at = i;
	if (!notes)
		return -ENOMEM;
	for (; i <= last; i++) {
		if (sent->list[i].note)
			notes[n++] = sent->list[i];
		else
			sent->list[at++] = sent->list[i];
	}
	memcpy(sent->list + at, notes, n * sizeof(*notes));
	free(notes);
	return 0;
}

static int put_notes_behind(struct claude_sent *sent)
{
	int err = 0;
	for (size_t i = 0; i < sent->n && !err;) {
		size_t last = i;
		bool any = false;
		if (!sent->list[i].assistant) {
			i++;
			continue;
		}
		for (size_t k = i + 1; k < sent->n; k++) {
			if (is_one_response(&sent->list[i], &sent->list[k]))
				last = k;
			else if (!sent->list[k].note)
				break;
		}
		for (size_t k = i; k < last; k++)
			any = any || sent->list[k].note;
		if (any)
			err = move_notes(sent, i, last);
		i = last + 1;
	}
	return err;
}

int claude_sent_load(const struct session *s, const struct path *chain,
		     struct span model, struct claude_sent *sent)
{
	struct reading r = { .s = s, .model = model, .sent = sent };
	int err = 0;
	*sent = (struct claude_sent){ .server = SIZE_MAX };
	idtable_init(&sent->table, call_key);
	idtable_init(&sent->served, served_key);
	for (uint32_t i = 0; i < chain->n && !err; i++)
		err = read_entry(&r, chain->list[i]);
	buf_free(&r.line);
	if (!err)
		err = put_notes_behind(sent);
	if (err)
		return err;
	for (size_t i = 0; i < sent->n; i++) {
		if (!sent->list[i].assistant && !sent->list[i].note)
			mark_answered(sent, &sent->list[i]);
	}
	sent->tip = find_tip(sent);
	drop_lines(sent);
	drop_mute(sent);
	keep_blank_turns(sent);
	return buf_error(&sent->text);
}

void claude_sent_free(struct claude_sent *sent)
{
	free(sent->list);
	free(sent->calls);
	buf_free(&sent->text);
	buf_free(&sent->ids);
	idtable_free(&sent->table);
	idtable_free(&sent->served);
}
