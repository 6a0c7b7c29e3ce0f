/*
 * The calls of tools and their results in a context of Claude Code
 * (sessfs-formats(5)).
 *
 *   - A line with calls none of which has a result on the chain is dropped.
 *     Exception: the open turn at the end, that is, everything after the last
 *     text of the user, if the last response has a call.
 *   - Of calls with the same id only the first is sent.
 *   - A result is sent in the user's next message after its call, and once.
 *     Others are dropped.
 *   - A call that has no result there gets a made-up one, as from the agent,
 *     unless it is in the last response.
 *   - If a result that is sent follows another block of its turn, the turn's
 *     lines become one message, with the results first.
 *   - A call of the server's tools is sent if its result is in the same
 *     response.
 */
#include "core/dialects/claude/chain.h"
#include "core/dialects/claude/sent.h"

/* Flags of ids. */
enum {
	ANSWERED = 1, /* a line on the chain has a result of it */
	NOTED = 2,    /* so has the turn after its response */
	SENT = 4,     /* its result is sent */
};

/* The number of an id that a call has, or IDSET_NONE. */
static uint32_t find_call(struct sending *x, struct json result)
{
	uint32_t id;
	if (!BLOCK_IS(result, "tool_result"))
		return IDSET_NONE;
	if (sending_find_id(x, json_get(result, "tool_use_id"), &id) < 0)
		buf_fail(&x->json);
	return id != IDSET_NONE && x->known[id].called ? id : IDSET_NONE;
}

int claude_add_calls(struct sending *x)
{
	int err = 0;
	JSON_EACH_WHILE(!err, block, sending_json(x, &x->list[x->n - 1])) {
		if (BLOCK_IS(block, "tool_use"))
			err = sending_add_call(x, json_get(block, "id"));
	}
	return err;
}

/* -- which are dropped */

/*
 * The first piece of the last response that has more than thinking and blank
 * texts, if only results and attachments follow it; else the number of pieces.
 */
static uint32_t find_last_response(const struct sending *x)
{
	for (uint32_t i = x->n; i > 0; i--) {
		const struct piece *p = &x->list[i - 1];
		if (claude_is_users(p) && !(p->flags & CLAUDE_ONLY_RESULTS))
			break;
		if (p->kind != CLAUDE_ASSISTANT || (p->flags & CLAUDE_WORDLESS))
			continue;
		while (i > 1 &&
		       claude_same_response(x->s, p[-1].entry, p->entry)) {
			p--;
			i--;
		}
		return i - 1;
	}
	return x->n;
}

int claude_match_results(struct sending *x)
{
	struct claude_sent *c = x->own;
	for (uint32_t i = 0; i < x->n; i++) {
		const struct piece *p = &x->list[i];
		for (uint32_t k = 0; k < p->n_calls; k++) {
			const struct sent_call *call =
				&x->calls[p->first_call + k];
			if (!call->repeated)
				x->known[call->id].own = i;
		}
		JSON_EACH_WHILE(claude_is_users(p), block, sending_json(x, p)) {
			uint32_t id = find_call(x, block);
			if (id != IDSET_NONE)
				x->known[id].flags |= ANSWERED;
		}
	}
	c->last_response = find_last_response(x);
	return 0;
}

/* The first piece of the open turn at the end, or the number of pieces. */
static uint32_t find_open_turn(const struct sending *x)
{
	const struct claude_sent *c = x->own;
	uint32_t n_calls = 0;
	uint32_t i = c->last_response;
	if (i == x->n)
		return i;
	uint32_t end = claude_response_pieces(x, i);
	for (uint32_t k = i; k < end; k++)
		n_calls += x->list[k].n_calls;
	while (n_calls > 0 && i > 0 &&
	       (!claude_is_users(&x->list[i - 1]) ||
		(x->list[i - 1].flags & CLAUDE_ONLY_RESULTS)))
		i--;
	return i;
}

int claude_drop_unanswered_calls(struct sending *x)
{
	uint32_t open_turn = find_open_turn(x);
	for (uint32_t i = 0; i < open_turn; i++) {
		struct piece *p = &x->list[i];
		bool answered = p->n_calls == 0;
		for (uint32_t k = 0; k < p->n_calls && !answered; k++)
			answered = sending_known(x, p, k)->flags & ANSWERED;
		p->dropped = p->dropped || !answered;
	}
	return 0;
}

/* -- which are answered */

/* The id of the last response's call that a block answers, or IDSET_NONE. */
static uint32_t answered_call(struct sending *x, struct json block)
{
	const struct claude_sent *c = x->own;
	uint32_t id = find_call(x, block);
	if (id == IDSET_NONE)
		return id;
	uint32_t at = x->known[id].own;
	bool waits = at >= c->first && at < c->end && !x->list[at].dropped;
	return waits ? id : IDSET_NONE;
}

bool claude_note_results(struct sending *x, uint32_t from, uint32_t end)
{
	bool other = false; /* a block that is no result was there */
	bool late = false;
	size_t n = 0;
	for (uint32_t i = from; i < end; i++) {
		const struct piece *p = &x->list[i];
		struct json content = sending_json(x, p);
		if (p->dropped || p->kind == CLAUDE_ATTACHMENT)
			continue;
		n++;
		other = other || json_is_string(content);
		JSON_EACH(block, content) {
			uint32_t id = answered_call(x, block);
			other = other || !BLOCK_IS(block, "tool_result");
			if (id != IDSET_NONE) {
				x->known[id].flags |= NOTED;
				late = late || other;
			}
		}
	}
	return late && n > 1;
}

static void make_up_result(struct sending *x, uint32_t id)
{
	struct claude_sent *c = x->own;
	struct buf block BUF_SCOPED = BUF_INTO(&x->json);
	struct json_writer w = { .out = &block };
	json_begin_object(&w, NULL);
	json_write_word(&w, "type", "tool_result");
	json_write_string(&w, "tool_use_id", idset_get(&x->ids, id));
	json_write_word(&w, "content",
			"[Tool result missing due to internal error]");
	json_write_bool(&w, "is_error", true);
	json_end_object(&w);
	claude_turn_block(&c->turn, (struct json){ .raw = buf_span(&block) });
}

bool claude_make_up_results(struct sending *x)
{
	struct claude_sent *c = x->own;
	bool any = false;
	claude_turn_line(&c->turn);
	for (uint32_t i = c->first; i < c->end && i < c->last_response; i++) {
		const struct piece *p = &x->list[i];
		for (uint32_t k = 0; k < p->n_calls && !p->dropped; k++) {
			const struct sent_call *call =
				&x->calls[p->first_call + k];
			if (call->repeated ||
			    (x->known[call->id].flags & NOTED))
				continue;
			make_up_result(x, call->id);
			any = true;
		}
	}
	return any;
}

bool claude_sends_result(struct sending *x, struct json block)
{
	uint32_t id = answered_call(x, block);
	if (id == IDSET_NONE || (x->known[id].flags & SENT))
		return false;
	x->known[id].flags |= SENT;
	return true;
}

void claude_forget_results(struct sending *x)
{
	for (uint32_t i = 0; i < x->ids.n; i++)
		x->known[i].flags &= ANSWERED;
}

/* -- the server's tools */

/* Mark the ids that the response has results of by where it begins. */
static void find_server_results(struct sending *x)
{
	struct claude_sent *c = x->own;
	for (uint32_t i = c->first; i < c->end; i++) {
		JSON_EACH(block, sending_json(x, &x->list[i])) {
			struct json id = json_get(block, "tool_use_id");
			uint32_t number;
			if (!json_is_string(id))
				continue;
			if (sending_id(x, id, &number) < 0)
				buf_fail(&x->json);
			else
				x->known[number].other = c->first + 1;
		}
	}
	c->knows_server_results = true;
}

bool claude_has_server_result(struct sending *x, struct json id)
{
	struct claude_sent *c = x->own;
	uint32_t number;
	if (!c->knows_server_results)
		find_server_results(x);
	if (sending_find_id(x, id, &number) < 0)
		buf_fail(&x->json);
	return number != IDSET_NONE && x->known[number].other == c->first + 1;
}
