#include "core/dialects/claude/context.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/base/array.h"
#include "core/dialects/claude/ingest.h"
#include "core/dialects/claude/response.h"
#include "core/dialects/claude/sent.h"
#include "core/dialects/claude/turn.h"
#include "core/json/writer.h"
#include "core/session/block.h"

/* Of messages that would be empty, as JSON. */
#define NO_CONTENT "\"(no content)\""
#define REMOVED_RESULT \
	"\"[Orphaned tool result removed due to conversation resume]\""
#define INTERRUPTED "\"[Tool use interrupted]\",\"citations\":[]"
/* At most so many are sent; above that, so many at a time are left out. */
#define MOST_MEDIA 600
#define MOST_MEDIA_OLD 100 /* for older and unknown models */
#define MEDIA_STEP 21
#define MEDIA_REMOVED                                                          \
	"[media removed: request limit. You have already seen this, and what " \
	"you concluded from it still stands. It made room for newer images "   \
	"and documents. Re-reading pushes out others and re-sends "            \
	"everything, "                                                         \
	"so don't re-read them all.]"
#define MISSING_RESULT                                                 \
	"\"content\":\"[Tool result missing due to internal error]\"," \
	"\"is_error\":true"

/* A message that is sent; its content in building.contents. */
struct ready {
	enum message_role role;
	size_t from;
	size_t to;
};

struct building {
	struct ready *ready;
	size_t n_ready;
	size_t cap_ready;
	struct buf contents;
	struct claude_sent *sent;
	struct messages *to;
	struct claude_turn turn;
	struct claude_notes notes;
	struct buf system;
	/* Rules of the agent's version. */
	bool takes_media; /* the model takes more of them */
	int err;
	/* The pieces of the last response, whose calls wait for results. */
	size_t first;
	size_t end;
	/* A content while it is put together: blocks, each with a comma before
	   it; those of the second buf follow. */
	struct buf blocks;
	struct buf calls;
	bool changed; /* it is not that of its only piece */
	bool lost;    /* a block was dropped that is no text */
	struct buf body;
};

static void add_block(struct buf *to, struct json block)
{
	buf_addc(to, ',');
	buf_add(to, block.raw);
}

static void add_text(struct buf *to, struct json text)
{
	buf_adds(to, ",{\"type\":\"text\",\"text\":");
	buf_add(to, text.raw);
	buf_addc(to, '}');
}

static void begin_message(struct building *b)
{
	buf_clear(&b->blocks);
	buf_clear(&b->calls);
	b->changed = false;
	b->lost = false;
}

/* The content that was put together. */
static struct json finish(struct building *b, const char *placeholder)
{
	buf_clear(&b->body);
	buf_addc(&b->body, '[');
	if (b->blocks.len > 0)
		buf_add(&b->body,
			(struct span){ b->blocks.data + 1, b->blocks.len - 1 });
	if (b->calls.len > 0)
		buf_add(&b->body,
			(struct span){ b->calls.data + (b->blocks.len == 0),
				       b->calls.len - (b->blocks.len == 0) });
	if (b->body.len == 1)
		buf_addf(&b->body, "{\"type\":\"text\",\"text\":%s}",
			 placeholder);
	buf_addc(&b->body, ']');
	return (struct json){ .raw = buf_span(&b->body) };
}

static void send(struct building *b, enum message_role role,
		 struct json content)
{
	if (array_reserve(&b->ready, &b->cap_ready, b->n_ready, 1) < 0) {
		b->err = -ENOMEM;
		return;
	}
	size_t from = b->contents.len;
	buf_add(&b->contents, content.raw);
	b->ready[b->n_ready++] = (struct ready){ role, from, b->contents.len };
	if (b->blocks.failed || b->calls.failed || b->body.failed)
		b->contents.failed = true;
}

/* Responses. */

static bool is_type(struct json block, struct span type)
{
	return json_is(json_get(block, "type"), type);
}

/* Has the last response a result of the server's tool with this id? */
static bool has_server_result(struct building *b, struct json id)
{
	bool served;
	int err = claude_is_served(b->sent, b->first, id, &served);
	if (err)
		b->err = err;
	return served;
}

/* Is the block of a response sent? `call` counts the calls of its piece. */
static bool sends_block(struct building *b, const struct claude_piece *p,
			struct json block, uint32_t *call)
{
	if (is_type(block, SPAN("text")))
		return json_get(block, "text").raw.n != 2;
	if (is_type(block, SPAN("thinking")) ||
	    is_type(block, SPAN("redacted_thinking")))
		return !p->foreign;
	if (is_type(block, SPAN("server_tool_use"))) {
		bool sent = has_server_result(b, json_get(block, "id"));
		b->lost = b->lost || !sent;
		return sent;
	}
	if (!is_type(block, SPAN("tool_use")))
		return true;
	bool again = b->sent->calls[p->first_call + (*call)++].again;
	b->lost = b->lost || again;
	return !again;
}

/* Add a call. The tool Task has another name today. */
static void add_call(struct building *b, struct json block)
{
	struct json name = json_get(block, "name");
	if (!json_is(name, SPAN("Task"))) {
		add_block(&b->calls, block);
		return;
	}
	size_t at = (size_t)(name.raw.p - block.raw.p);
	size_t after = at + name.raw.n;
	b->changed = true;
	buf_addc(&b->calls, ',');
	buf_add(&b->calls, (struct span){ block.raw.p, at });
	buf_adds(&b->calls, "\"Agent\"");
	buf_add(&b->calls,
		(struct span){ block.raw.p + after, block.raw.n - after });
}

static void add_response_blocks(struct building *b,
				const struct claude_piece *p)
{
	struct json content = claude_piece_content(b->sent, p);
	struct json_walk w = json_walk(content);
	struct json block;
	uint32_t call = 0;
	if (json_type(content) == JSON_STRING) {
		add_text(&b->blocks, content);
		return;
	}
	while (json_next_element(&w, &block)) {
		bool is_call = is_type(block, SPAN("tool_use"));
		if (!sends_block(b, p, block, &call))
			b->changed = true;
		else if (is_call)
			add_call(b, block);
		else
			add_block(&b->blocks, block);
		/* Calls move behind what follows them. */
		b->changed = b->changed || (!is_call && b->calls.len > 0);
	}
}

/* Send the response from b->first to b->end. */
static void add_response(struct building *b)
{
	size_t n = 0;
	const struct claude_piece *only = NULL;
	begin_message(b);
	for (size_t i = b->first; i < b->end; i++) {
		if (b->sent->list[i].dropped)
			continue;
		only = &b->sent->list[i];
		n++;
		add_response_blocks(b, only);
	}
	bool empty = b->blocks.len == 0 && b->calls.len == 0;
	if (n == 1 && !b->changed && !empty)
		send(b, MESSAGE_ASSISTANT, claude_piece_content(b->sent, only));
	else
		send(b, MESSAGE_ASSISTANT,
		     finish(b, b->lost ? INTERRUPTED
				       : NO_CONTENT ",\"citations\":[]"));
}

/* Messages of the user. */

/* Does the call come after those of a piece? Pieces are in the calls' order. */
static bool is_behind(const void *list, size_t i, const void *call)
{
	const struct claude_piece *p = (const struct claude_piece *)list + i;
	return (size_t)p->first_call + p->n_calls <= *(const size_t *)call;
}

/* Is it a call of the last response? */
static bool is_pending(const struct building *b, const struct claude_call *call)
{
	size_t at = (size_t)(call - b->sent->calls);
	const struct claude_piece *p = b->sent->list + b->first;
	size_t n = b->end - b->first;
	size_t i = array_search(p, n, is_behind, &at);
	return i < n && at >= p[i].first_call && !p[i].dropped;
}

/* The call of the last response that a block answers, or NULL. */
static struct claude_call *answered_call(const struct building *b,
					 struct json block)
{
	if (!is_type(block, SPAN("tool_result")))
		return NULL;
	struct claude_call *call =
		claude_find_call(b->sent, json_get(block, "tool_use_id"));
	return call && is_pending(b, call) ? call : NULL;
}

static void meet_results(const struct building *b, const struct claude_piece *p)
{
	struct json content = claude_piece_content(b->sent, p);
	struct json_walk w = json_walk(content);
	struct json block;
	while (json_type(content) == JSON_ARRAY &&
	       json_next_element(&w, &block)) {
		struct claude_call *call = answered_call(b, block);
		if (call)
			call->met = true;
	}
}

/* Make up results for the calls of the last response that have none. */
static void make_up_results(struct building *b)
{
	struct claude_sent *sent = b->sent;
	for (size_t i = b->first; i < b->end; i++) {
		const struct claude_piece *p = &sent->list[i];
		for (uint32_t k = 0; k < p->n_calls && !p->dropped; k++) {
			struct claude_call *call =
				&sent->calls[p->first_call + k];
			if (call->met || call->again || i >= sent->tip)
				continue;
			call->met = true;
			buf_adds(&b->blocks, ",{\"type\":\"tool_result\","
					     "\"tool_use_id\":");
			json_quote(&b->blocks, claude_call_id(sent, call));
			buf_adds(&b->blocks, "," MISSING_RESULT "}");
		}
	}
}

/* Which blocks of a user's line are written? */
enum which {
	ALL,
	RESULTS,
	OTHERS,
};

/* Is the block of a user's line sent? Results are, once. */
static bool sends_user_block(struct building *b, struct json block)
{
	if (json_type(block) != JSON_OBJECT)
		return false;
	if (is_type(block, SPAN("text")))
		return !claude_is_blank(json_get(block, "text"));
	if (!is_type(block, SPAN("tool_result")))
		return true;
	struct claude_call *call = answered_call(b, block);
	bool sent = call && !call->written;
	b->lost = b->lost || !sent;
	if (sent)
		call->written = true;
	return sent;
}

/*
 * The text that stands for results of which no call is known. Until the first
 * response b->end is 0.
 */
static const char *removed_results(const struct building *b)
{
	return b->end > 0 ? NO_CONTENT : REMOVED_RESULT;
}

static void add_user_blocks(struct building *b, const struct claude_piece *p,
			    enum which which)
{
	struct json content = claude_piece_content(b->sent, p);
	struct json_walk w = json_walk(content);
	struct json block;
	if (json_type(content) == JSON_STRING) {
		/* A blank one is there only to be sent alone. */
		if (which == ALL ||
		    (which == OTHERS && !claude_is_blank(content)))
			add_text(&b->blocks, content);
		return;
	}
	while (json_next_element(&w, &block)) {
		bool result = is_type(block, SPAN("tool_result"));
		if (which != ALL && result != (which == RESULTS))
			continue;
		if (sends_user_block(b, block))
			add_block(&b->blocks, block);
		else
			b->changed = true;
	}
}

/* Does a result follow another block? *other: one was seen. */
static bool has_late_result(const struct building *b,
			    const struct claude_piece *p, bool *other)
{
	struct json content = claude_piece_content(b->sent, p);
	struct json_walk w = json_walk(content);
	struct json block;
	bool late = false;
	if (json_type(content) == JSON_STRING)
		*other = true;
	while (json_type(content) == JSON_ARRAY &&
	       json_next_element(&w, &block)) {
		if (!is_type(block, SPAN("tool_result")))
			*other = true;
		else if (*other && answered_call(b, block))
			late = true;
	}
	return late;
}

/* Do the lines from `from` to `end` have to become one message? */
static bool must_join(const struct building *b, size_t from, size_t end)
{
	bool other = false;
	bool late = false;
	size_t n = 0;
	for (size_t i = from; i < end; i++) {
		const struct claude_piece *p = &b->sent->list[i];
		if (p->dropped)
			continue;
		n++;
		late = has_late_result(b, p, &other) || late;
	}
	return late && n > 1;
}

static bool has_notes(const struct building *b, size_t from, size_t end)
{
	for (size_t i = from; i < end; i++) {
		if (b->sent->list[i].note)
			return true;
	}
	return false;
}

static void add_note(struct building *b, const struct claude_piece *p)
{
	struct json line = claude_piece_content(b->sent, p);
	int err = claude_attachment(line, &b->notes);
	if (err)
		b->err = err;
	else
		claude_turn_notes(&b->turn, &b->notes);
}

/* Add the results that were made up, in b->blocks, as a line of the turn. */
static void add_made_up(struct building *b)
{
	struct json line = finish(b, NO_CONTENT);
	struct json_walk w = json_walk(line);
	struct json block;
	claude_turn_line(&b->turn);
	while (json_next_element(&w, &block))
		claude_turn_block(&b->turn, block);
}

/* Add a user's line to the turn. Returns whether any of it is sent. */
static bool add_turn_line(struct building *b, const struct claude_piece *p)
{
	struct json content = claude_piece_content(b->sent, p);
	struct json_walk w = json_walk(content);
	struct json block;
	bool any = false;
	claude_turn_line(&b->turn);
	if (json_type(content) == JSON_STRING) {
		claude_turn_text(&b->turn, content);
		return true;
	}
	while (json_next_element(&w, &block)) {
		if (sends_user_block(b, block)) {
			claude_turn_block(&b->turn, block);
			any = true;
		} else if (is_type(block, SPAN("tool_result"))) {
			claude_turn_unsent(&b->turn, block);
		}
	}
	return any;
}

/* Send a turn with notes. Made up results are in b->blocks. */
static void add_turn(struct building *b, size_t from, size_t end)
{
	struct json content = { 0 };
	const char *text = removed_results(b);
	bool any = b->blocks.len > 0;
	if (any)
		add_made_up(b);
	begin_message(b);
	for (size_t i = from; i < end; i++) {
		const struct claude_piece *p = &b->sent->list[i];
		if (p->note)
			add_note(b, p);
		else if (!p->dropped)
			any = add_turn_line(b, p) || any;
	}
	if (!any && b->lost && text)
		claude_turn_text(&b->turn,
				 (struct json){ .raw = span_of(text) });
	buf_clear(&b->body);
	buf_clear(&b->system);
	claude_turn_end(&b->turn, &b->body, &b->system);
	content.raw = buf_span(&b->body);
	if (content.raw.n > 0)
		send(b, MESSAGE_USER, content);
	content.raw = buf_span(&b->system);
	if (content.raw.n > 0)
		send(b, MESSAGE_REMINDER, content);
}

static void add_joined(struct building *b, size_t from, size_t end)
{
	for (int pass = RESULTS; pass <= OTHERS; pass++) {
		for (size_t i = from; i < end; i++) {
			const struct claude_piece *p = &b->sent->list[i];
			if (!p->dropped)
				add_user_blocks(b, p, (enum which)pass);
		}
	}
	if (b->blocks.len > 0)
		send(b, MESSAGE_USER, finish(b, NO_CONTENT));
}

/* Send a line by itself. Its content is unchanged if all of it is sent. */
static bool add_line(struct building *b, const struct claude_piece *p)
{
	begin_message(b);
	add_user_blocks(b, p, ALL);
	if (b->blocks.len == 0)
		return false;
	send(b, MESSAGE_USER,
	     b->changed ? finish(b, NO_CONTENT)
			: claude_piece_content(b->sent, p));
	return true;
}

/* Send what the user says from `from` to `end`. */
static void add_user(struct building *b, size_t from, size_t end)
{
	bool any = false;
	bool lost = false;
	for (size_t i = from; i < end; i++) {
		if (!b->sent->list[i].dropped && !b->sent->list[i].note)
			meet_results(b, &b->sent->list[i]);
	}
	begin_message(b);
	make_up_results(b);
	if (has_notes(b, from, end)) {
		add_turn(b, from, end);
		return;
	}
	if (b->blocks.len > 0 || must_join(b, from, end)) {
		add_joined(b, from, end);
		return;
	}
	for (size_t i = from; i < end; i++) {
		if (b->sent->list[i].dropped)
			continue;
		any = add_line(b, &b->sent->list[i]) || any;
		lost = lost || b->lost;
	}
	begin_message(b);
	const char *text = removed_results(b);
	if (!any && lost && text)
		send(b, MESSAGE_USER, finish(b, text));
}

/* The next response from a place on, of which something is sent. */
static size_t next_response(const struct claude_sent *sent, size_t from)
{
	while (from < sent->n &&
	       (!sent->list[from].assistant || sent->list[from].dropped))
		from++;
	return from;
}

static void add_all(struct building *b)
{
	const struct claude_sent *sent = b->sent;
	for (size_t i = 0; i < sent->n || b->end > b->first;) {
		size_t next = next_response(sent, i);
		add_user(b, i, next);
		b->first = b->end = next;
		if (next == sent->n)
			break;
		b->end = claude_pieces_end(sent, next);
		add_response(b);
		i = b->end;
	}
}

/* Pictures and documents. */

/* Does a model take MOST_MEDIA? Those since claude-opus-4-7 do. */
static bool takes_media(struct buf *model)
{
	char family[8];
	unsigned major = 0;
	unsigned minor = 0;
	const char *name = buf_cstr(model);
	if (!name ||
	    sscanf(name, "claude-%7[a-z]-%2u-%2u", family, &major, &minor) < 2)
		return false;
	/* A date, which begins with 20, is no version. */
	return major >= 5 || (major == 4 && minor >= 7 && minor < 20);
}

static bool is_medium(struct json block)
{
	return is_type(block, SPAN("image")) ||
	       is_type(block, SPAN("document"));
}

static struct json result_content(struct json block)
{
	return is_type(block, SPAN("tool_result")) ? json_get(block, "content")
						   : (struct json){ 0 };
}

/* How many media have the blocks of a content? */
static size_t count_media(struct json content)
{
	struct json_walk w = json_walk(content);
	struct json block;
	size_t n = 0;
	while (json_type(content) == JSON_ARRAY &&
	       json_next_element(&w, &block))
		n += is_medium(block);
	return n;
}

static size_t count_all_media(struct json content)
{
	struct json_walk w = json_walk(content);
	struct json block;
	size_t n = count_media(content);
	while (json_type(content) == JSON_ARRAY &&
	       json_next_element(&w, &block))
		n += count_media(result_content(block));
	return n;
}

/* Write a result with a text in the place of each of its first media. */
static void write_result(struct json_writer *w, struct json block, size_t *drop)
{
	struct json_walk members = json_walk(block);
	struct json key;
	struct json value;
	json_begin_object(w, NULL);
	while (json_next_member(&members, &key, &value)) {
		struct json_walk parts = json_walk(value);
		struct json part;
		if (!json_is(key, SPAN("content"))) {
			json_write_member(w, key, value);
			continue;
		}
		json_begin_array(w, "content");
		while (json_next_element(&parts, &part)) {
			if (*drop > 0 && is_medium(part)) {
				block_write_text(w, SPAN(MEDIA_REMOVED));
				--*drop;
			} else {
				json_write_value(w, NULL, part);
			}
		}
		json_end_array(w);
	}
	json_end_object(w);
}

/* Write a content without its first media. Returns whether any is left. */
static bool write_fewer(struct buf *out, struct json content, size_t *drop)
{
	struct json_writer w = { .out = out };
	struct json_walk walk = json_walk(content);
	struct json block;
	bool any = false;
	json_begin_array(&w, NULL);
	while (json_next_element(&walk, &block)) {
		if (*drop > 0 && is_medium(block)) {
			--*drop;
			continue;
		}
		any = true;
		if (*drop > 0 && count_media(result_content(block)) > 0)
			write_result(&w, block, drop);
		else
			json_write_value(&w, NULL, block);
	}
	json_end_array(&w);
	return any;
}

static struct json ready_content(const struct building *b, size_t i)
{
	const struct ready *r = &b->ready[i];
	return (struct json){ .raw = { b->contents.data + r->from,
				       r->to - r->from } };
}

static void deliver(struct building *b, enum message_role role,
		    struct json content)
{
	const struct message m = { .role = role,
				   .how = CONTENT_JSON,
				   .content = content,
				   .by_line = true };
	messages_add(b->to, &m);
}

/* Deliver a message without its first media; *said: did the user say more? */
static void deliver_fewer(struct building *b, size_t i, size_t *drop,
			  bool *said)
{
	bool last = i + 1 == b->n_ready || b->ready[i + 1].role != MESSAGE_USER;
	buf_clear(&b->body);
	if (write_fewer(&b->body, ready_content(b, i), drop)) {
		*said = true;
	} else if (last && !*said) {
		buf_clear(&b->body);
		buf_adds(&b->body, "[{\"type\":\"text\",\"text\":");
		json_quote(&b->body, SPAN(MEDIA_REMOVED));
		buf_adds(&b->body, "}]");
	} else {
		return;
	}
	deliver(b, b->ready[i].role,
		(struct json){ .raw = buf_span(&b->body) });
}

/* Deliver all messages. Of too many media the oldest are left out. */
static void deliver_all(struct building *b)
{
	size_t n = 0;
	size_t drop = 0;
	bool said = false;
	for (size_t i = 0; i < b->n_ready; i++)
		n += count_all_media(ready_content(b, i));
	size_t most = b->takes_media ? MOST_MEDIA : MOST_MEDIA_OLD;
	if (n > most)
		drop = (n - most + MEDIA_STEP - 1) / MEDIA_STEP * MEDIA_STEP;
	for (size_t i = 0; i < b->n_ready; i++) {
		struct json content = ready_content(b, i);
		if (i > 0 && b->ready[i - 1].role != MESSAGE_USER)
			said = false;
		if (drop > 0 && count_all_media(content) > 0) {
			deliver_fewer(b, i, &drop, &said);
		} else {
			said = true;
			deliver(b, b->ready[i].role, content);
		}
	}
}

static int load(struct building *b, const struct session *s, uint32_t leaf)
{
	struct claude_chain chain;
	struct path whole = { 0 };
	struct buf model = { 0 };
	struct buf thinking = { 0 };
	int err = claude_chain_load(s, leaf, &chain);
	if (!err)
		err = claude_complete(s, &chain, &whole);
	if (!err)
		err = claude_settings(s, leaf, &model, &thinking);
	if (!err)
		err = buf_error(&model);
	if (!err)
		err = claude_sent_load(s, &whole, buf_span(&model), b->sent);
	b->turn.takes = claude_takes_system(buf_span(&model));
	b->takes_media = takes_media(&model);
	path_free(&chain.path);
	path_free(&whole);
	buf_free(&model);
	return err;
}

int claude_context(const struct session *s, const struct path *p,
		   struct messages *to)
{
	struct claude_sent sent = { 0 };
	struct building b = { .sent = &sent, .to = to };
	if (p->n == 0)
		return 0;
	int err = load(&b, s, p->list[p->n - 1]);
	if (!err)
		add_all(&b);
	if (!err && (sent.failed || b.blocks.failed || b.calls.failed ||
		     b.body.failed || b.system.failed || b.contents.failed))
		err = -ENOMEM;
	if (!err)
		err = b.err;
	if (!err)
		deliver_all(&b);
	if (!err && b.body.failed)
		err = -ENOMEM;
	free(b.ready);
	buf_free(&b.contents);
	claude_sent_free(&sent);
	buf_free(&b.blocks);
	buf_free(&b.calls);
	buf_free(&b.body);
	buf_free(&b.system);
	claude_turn_free(&b.turn);
	claude_notes_free(&b.notes);
	return err ? err : buf_error(to->out);
}

int claude_settings(const struct session *s, uint32_t leaf, struct buf *model,
		    struct buf *thinking)
{
	struct buf line = { 0 };
	int err = 0;
	(void)thinking;
	for (uint32_t i = leaf; i != INDEX_NONE && !err && model->len == 0;
	     i = session_entry(s, i)->parent) {
		struct json json;
		if (claude_entry(s, i)->part != CLAUDE_ASSISTANT)
			continue;
		err = session_read(s, i, &line, &json);
		if (err)
			break;
		struct json v = json_at(json, SPAN("message.model"));
		if (!json_is(v, SPAN("<synthetic>")))
			json_decode(model, v);
	}
	buf_free(&line);
	return err;
}
