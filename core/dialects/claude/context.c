/*
 * Contexts of Claude Code sessions: what the agent sends when it resumes at an
 * entry (sessfs-formats(5)). The rules in the order in which they act:
 *
 *   1. The chain of lines (chain.h), with its responses completed (response.c).
 *   2. Lines that are read, and contents that are changed (sent.h).
 *   3. Attachments move after the response that they are in.
 *   4. Lines with calls without results are dropped (calls.c).
 *   5. Blank lines are dropped, then responses without words. A turn of the
 *      user of which nothing is left keeps a line.
 *   6. The lines of a response are one message. Calls are last in it, and those
 *      of the tool Task have its new name, Agent. Thinking is sent only to the
 *      model that it is from: the last one on the chain. Empty texts are not
 *      sent.
 *   7. A turn of the user between two responses is a message for each line; or
 *      one for all, if there are attachments (turn.h), or results to be made up
 *      or moved to the start (calls.c).
 *   8. What is empty then has a placeholder.
 *   9. Of too many pictures and documents the oldest are left out (media.c).
 *
 * What the agent adds by itself when it resumes is not in the context: results
 * made up at the tip, and "No response requested.".
 *
 * What other agents take of it (MESSAGE_FORM_TAKEN) is the same without the
 * agent's own words: attachments of these types (attachment.h), and reminders
 * in texts (taken.c). What it passes on in reminders is there without tags.
 */
#include "core/dialects/claude/chain.h"
#include "core/dialects/claude/sent.h"
#include "core/json/js.h"

/* Of messages that would be empty. */
#define NO_CONTENT "(no content)"
#define EMPTY_RESPONSE(text) \
	SPAN("{\"type\":\"text\",\"text\":\"" text "\",\"citations\":[]}")
#define REMOVED_RESULT \
	"\"[Orphaned tool result removed due to conversation resume]\""

static void begin_content(struct claude_sent *c)
{
	buf_clear(&c->body);
	c->w = (struct json_writer){ .out = &c->body };
	c->changed = false;
	json_begin_array(&c->w, NULL);
}

static bool is_empty(const struct claude_sent *c)
{
	return c->body.len == 1;
}

static struct json end_content(struct claude_sent *c)
{
	json_end_array(&c->w);
	return (struct json){ .raw = buf_span(&c->body) };
}

static bool is_taken(const struct sending *x)
{
	return x->to->form == MESSAGE_FORM_TAKEN;
}

/* Send a message whose first line is a piece. */
static void send(struct sending *x, uint32_t first, enum message_role role,
		 struct json content)
{
	struct claude_sent *c = x->own;
	c->media.when = sending_time(x, first < x->n ? x->list[first].entry
						     : INDEX_NONE);
	claude_media_send(&c->media, x->to, role, content);
	buf_inherit(&x->json, &c->body);
}

/* -- responses */

/* Is a block of a response sent that is no call? */
static bool sends_block(struct sending *x, const struct piece *p,
			struct json block)
{
	struct claude_sent *c = x->own;
	if (BLOCK_IS(block, "text"))
		return json_get(block, "text").raw.n != 2;
	if (BLOCK_IS(block, "thinking", "redacted_thinking"))
		return !(p->flags & CLAUDE_OTHER_MODEL);
	if (!BLOCK_IS(block, "server_tool_use"))
		return true;
	bool sent = claude_has_server_result(x, json_get(block, "id"));
	c->lost = c->lost || !sent;
	return sent;
}

static void write_others(struct sending *x, const struct piece *p)
{
	struct claude_sent *c = x->own;
	struct json content = sending_json(x, p);
	bool after_call = false;
	if (json_is_string(content))
		block_write_text_value(&c->w, content);
	JSON_EACH(block, content) {
		bool call = BLOCK_IS(block, "tool_use");
		bool sent = !call && sends_block(x, p, block);
		if (sent)
			json_write_value(&c->w, NULL, block);
		c->changed = c->changed || (!call && (after_call || !sent));
		after_call = after_call || call;
	}
}

static void write_calls(struct sending *x, const struct piece *p)
{
	struct claude_sent *c = x->own;
	uint32_t i = 0;
	JSON_EACH_WHILE(i < p->n_calls, block, sending_json(x, p)) {
		struct buf agent = { 0 };
		if (!BLOCK_IS(block, "tool_use"))
			continue;
		if (x->calls[p->first_call + i++].repeated) {
			c->changed = c->lost = true;
		} else if (json_is(json_get(block, "name"), SPAN("Task"))) {
			/* The tool has another name today. */
			buf_adds(&agent, "\"Agent\"");
			claude_write_with(&c->w, block, "name", &agent);
			c->changed = true;
		} else {
			json_write_value(&c->w, NULL, block);
		}
	}
}

/* Send the response that ends at c->end. */
static void send_response(struct sending *x)
{
	static const struct json interrupted = {
		.raw = EMPTY_RESPONSE("[Tool use interrupted]")
	};
	static const struct json nothing = { .raw = EMPTY_RESPONSE(
						     NO_CONTENT) };
	struct claude_sent *c = x->own;
	const struct piece *only = NULL;
	size_t n = 0;
	begin_content(c);
	c->lost = false;
	for (uint32_t i = c->first; i < c->end; i++) {
		if (x->list[i].dropped)
			continue;
		only = &x->list[i];
		n++;
		write_others(x, only);
	}
	for (uint32_t i = c->first; i < c->end; i++) {
		if (!x->list[i].dropped)
			write_calls(x, &x->list[i]);
	}
	if (n == 1 && !c->changed && !is_empty(c)) {
		send(x, c->first, MESSAGE_ASSISTANT, sending_json(x, only));
		return;
	}
	if (is_empty(c))
		json_write_value(&c->w, NULL, c->lost ? interrupted : nothing);
	send(x, c->first, MESSAGE_ASSISTANT, end_content(c));
}

/* -- turns of the user */

static bool sends_user_block(struct sending *x, struct json block)
{
	struct claude_sent *c = x->own;
	if (BLOCK_IS(block, "text"))
		return !js_is_blank(json_get(block, "text"));
	if (!BLOCK_IS(block, "tool_result"))
		return json_type(block) == JSON_OBJECT;
	bool sent = claude_sends_result(x, block);
	c->lost = c->lost || !sent;
	return sent;
}

static void add_attachment(struct sending *x, const struct piece *p)
{
	struct claude_sent *c = x->own;
	struct json line = sending_json(x, p);
	if (is_taken(x) && claude_attachment_is_agents(line))
		return;
	if (claude_attachment(line, &c->notes) < 0) {
		buf_fail(&x->json);
		return;
	}
	if (is_taken(x))
		claude_notes_take(&c->notes);
	claude_turn_notes(&c->turn, &c->notes);
}

/* Add a user's line to the turn. Returns whether any of it is sent. */
static bool add_line(struct sending *x, const struct piece *p)
{
	struct claude_sent *c = x->own;
	struct json content = sending_json(x, p);
	bool any = false;
	claude_turn_line(&c->turn);
	if (json_is_string(content)) {
		/* A blank one is there only to be sent alone. */
		if (!js_is_blank(content))
			claude_turn_text(&c->turn, content);
		return true;
	}
	JSON_EACH(block, content) {
		if (sends_user_block(x, block)) {
			claude_turn_block(&c->turn, block);
			any = true;
		} else if (BLOCK_IS(block, "tool_result")) {
			claude_turn_unsent(&c->turn, block);
		}
	}
	return any;
}

/* Send a line by itself. Its content is unchanged if all of it is sent. */
static bool send_line(struct sending *x, uint32_t line)
{
	struct claude_sent *c = x->own;
	const struct piece *p = &x->list[line];
	struct json content = sending_json(x, p);
	begin_content(c);
	JSON_EACH(block, content) {
		if (sends_user_block(x, block))
			json_write_value(&c->w, NULL, block);
		else
			c->changed = true;
	}
	bool any = json_is_string(content) || !is_empty(c);
	if (any)
		send(x, line, MESSAGE_USER,
		     c->changed ? end_content(c) : content);
	return any;
}

/* Send what is left of a turn that is one message. */
static void end_turn(struct sending *x, uint32_t from)
{
	struct claude_sent *c = x->own;
	buf_clear(&c->body);
	buf_clear(&c->system);
	claude_turn_end(&c->turn, &c->body, &c->system);
	buf_inherit(&x->json, &c->body);
	buf_inherit(&x->json, &c->system);
	if (c->body.len > 0)
		send(x, from, MESSAGE_USER,
		     (struct json){ .raw = buf_span(&c->body) });
	if (c->system.len > 0)
		send(x, from, is_taken(x) ? MESSAGE_USER : MESSAGE_REMINDER,
		     (struct json){ .raw = buf_span(&c->system) });
}

/* Send the turn from `from` to `end`: as one message, or one for each line. */
static void send_turn(struct sending *x, uint32_t from, uint32_t end)
{
	struct claude_sent *c = x->own;
	bool joined = claude_note_results(x, from, end);
	bool any = claude_make_up_results(x);
	joined = joined || any;
	for (uint32_t i = from; i < end && !joined; i++)
		joined = x->list[i].kind == CLAUDE_ATTACHMENT;
	c->lost = false;
	for (uint32_t i = from; i < end; i++) {
		const struct piece *p = &x->list[i];
		if (p->kind == CLAUDE_ATTACHMENT)
			add_attachment(x, p);
		else if (!p->dropped)
			any = (p->flags & CLAUDE_NOT_TAKEN) ||
			      (joined ? add_line(x, p) : send_line(x, i)) ||
			      any;
	}
	/* For results of which no call is known. */
	const struct json none = { .raw = c->end > 0
						  ? SPAN("\"" NO_CONTENT "\"")
						  : SPAN(REMOVED_RESULT) };
	if (!any && c->lost)
		claude_turn_text(&c->turn, none);
	end_turn(x, from);
}

/* -- passes */

static int send_messages(struct sending *x)
{
	struct claude_sent *c = x->own;
	uint32_t i = 0;
	c->first = c->end = 0;
	while (i < x->n || c->end > c->first) {
		uint32_t next = i;
		while (next < x->n && (x->list[next].dropped ||
				       x->list[next].kind != CLAUDE_ASSISTANT))
			next++;
		send_turn(x, i, next);
		if (next == x->n)
			break;
		i = claude_response_pieces(x, next);
		c->first = next;
		c->end = i;
		c->knows_server_results = false;
		send_response(x);
	}
	claude_media_end(&c->media, x->to);
	return 0;
}

static void ignore(struct messages *to, const struct message *m)
{
	(void)to;
	(void)m;
}

/*
 * Send all messages again if they have too many media. What is taken can't be
 * taken back, so nothing was the first time.
 */
static int leave_out_media(struct sending *x)
{
	struct claude_sent *c = x->own;
	c->media.left_out = claude_media_too_many(c->media.n, c->model);
	if (c->media.left_out == 0 && !is_taken(x))
		return 0;
	*x->to = c->start;
	x->to->out->len = c->start_len;
	claude_forget_results(x);
	return send_messages(x);
}

static sending_pass *const passes[] = {
	claude_read_lines,	 claude_move_attachments,
	claude_match_results,	 claude_drop_unanswered_calls,
	claude_drop_blank_lines, claude_drop_wordless_responses,
	claude_keep_blank_turns, send_messages,
	leave_out_media,	 NULL,
};

int claude_context(const struct session *s, const struct path *p,
		   struct messages *to)
{
	struct claude_sent c = { .start = *to, .start_len = to->out->len };
	struct path whole = { 0 };
	struct sending x = { .s = s, .path = &whole, .to = to, .own = &c };
	struct buf model BUF_SCOPED = { 0 };
	struct buf thinking BUF_SCOPED = { 0 };
	if (p->n == 0)
		return 0;
	uint32_t leaf = p->list[p->n - 1];
	int err = claude_complete(s, leaf, &whole, NULL);
	if (!err)
		err = settings_at(s, leaf, &model, &thinking);
	if (!err)
		err = buf_error(&model);
	c.model = buf_span(&model);
	c.turn.takes = claude_takes_system(c.model);
	c.turn.taken = is_taken(&x);
	to->take = ignore;
	if (!err)
		err = sending_run(&x, passes);
	to->take = c.start.take;
	path_free(&whole);
	buf_free(&c.body);
	buf_free(&c.system);
	buf_free(&c.media.body);
	claude_turn_free(&c.turn);
	claude_notes_free(&c.notes);
	return err;
}
