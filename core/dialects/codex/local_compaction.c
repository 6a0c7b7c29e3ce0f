/*
 * A compaction without a list (replacement_history), as the agent makes with
 * providers other than its own: the conversation is the newest messages of the
 * user, of 20,000 tokens of four bytes, and the compaction's text as one more.
 *
 *   - The oldest of them is cut to the tokens that the others leave. It loses
 *     its middle.
 *   - The harness's notes (fragment.c) and the agent's summaries are none of
 *     them. The text of an earlier compaction is.
 *   - Of a message, only its input texts are left.
 *
 * 0.171.0 asks at the next such compaction whether a message that was cut looks
 * like a note by then. Here it stays a message.
 */
#include "core/dialects/codex/codex.h"

#include <errno.h>
#include <stdlib.h>

#include "core/base/array.h"

#define KEPT_TOKENS ((size_t)20000)
#define TOKEN_BYTES ((size_t)4)

/* A message of the user. */
struct user {
	struct buf item; /* without what is no text */
	size_t size;	 /* of its texts, in bytes */
};

/* Those of them that are kept so far. */
struct users {
	struct user *list;
	size_t first; /* those before it were dropped */
	size_t n;
	size_t cap;
	size_t tokens;
};

/* Begin a message. The caller writes its texts next. */
static struct json_writer begin_message(struct buf *out, struct json id)
{
	struct json_writer w = { .out = out };
	json_begin_object(&w, NULL);
	json_write_word(&w, "type", "message");
	json_write_value(&w, "id", id);
	json_write_word(&w, "role", "user");
	json_begin_array(&w, "content");
	return w;
}

static void end_message(struct json_writer *w)
{
	json_end_array(w);
	json_end_object(w);
}

/* The message of a compaction. */
static void write_summary(struct buf *out, struct json summary)
{
	struct json_writer w = begin_message(out, (struct json){ 0 });
	if (json_truthy(summary))
		codex_write_quoted(&w, summary);
	else
		codex_write_text(&w, SPAN("(no summary available)"));
	end_message(&w);
}

static size_t tokens_of(const struct user *u)
{
	return (u->size + TOKEN_BYTES - 1) / TOKEN_BYTES;
}

static bool continues_character(struct span text, size_t at)
{
	return at < text.n && ((unsigned char)text.p[at] & 0xC0) == 0x80;
}

/* A message that loses its middle, and where that is in its texts. */
struct cut {
	struct json_writer w;
	size_t at; /* where the next text begins */
	size_t head;
	size_t tail;
	struct buf note; /* is added once, after the head */
	size_t size;	 /* of what is left */
};

static void add_text(struct cut *c, struct span text)
{
	codex_write_text(&c->w, text);
	c->size += text.n;
}

static void cut_text(struct cut *c, struct span text)
{
	size_t first = c->head > c->at ? c->head - c->at : 0;
	size_t rest = c->tail > c->at ? c->tail - c->at : 0;
	c->at += text.n;
	if (first > text.n)
		first = text.n;
	if (rest > text.n)
		rest = text.n;
	while (first > 0 && continues_character(text, first))
		first--;
	while (rest < text.n && continues_character(text, rest))
		rest++;
	if (first > 0 || text.n == 0)
		add_text(c, (struct span){ text.p, first });
	if (first < text.n && c->note.len > 0) {
		add_text(c, buf_span(&c->note));
		buf_clear(&c->note);
	}
	if (rest < text.n)
		add_text(c, span_from(text, rest));
}

/* Cut a message to so many tokens, if it has more. */
static int cut_user(struct user *u, size_t tokens)
{
	const struct json item = { .raw = buf_span(&u->item) };
	size_t kept = tokens * TOKEN_BYTES;
	struct buf made = { 0 };
	struct buf text BUF_SCOPED = BUF_INTO(&made);
	if (u->size <= kept)
		return 0;
	struct cut c = { .head = kept / 2,
			 .tail = u->size - (kept - kept / 2) };
	buf_addf(&c.note, "…%zu tokens truncated…",
		 (u->size - kept + TOKEN_BYTES - 1) / TOKEN_BYTES);
	c.w = begin_message(&made, json_get(item, "id"));
	JSON_EACH(part, json_get(item, "content")) {
		buf_clear(&text);
		json_decode(&text, json_get(part, "text"));
		cut_text(&c, buf_span(&text));
	}
	end_message(&c.w);
	buf_free_into(&c.note, &made);
	buf_free(&u->item);
	*u = (struct user){ .item = made, .size = c.size };
	return buf_error(&made);
}

static void drop_oldest(struct users *u)
{
	u->tokens -= tokens_of(&u->list[u->first]);
	buf_free(&u->list[u->first++].item);
}

/* Is a text the summary of a compaction by the agent? */
static bool is_summary(struct span text)
{
	return span_starts(
		text,
		SPAN("Another language model started to solve this problem and "
		     "produced a summary of its thinking process. You also "
		     "have access to the state of the tools that were used by "
		     "that language model. Use this to build on the work that "
		     "has already been done and avoid duplicating work. Here "
		     "is the summary produced by the other language model, use "
		     "the information in this summary to assist with your own "
		     "analysis:\n"));
}

/* Keep an item if it is a message of the user. */
static int keep(struct users *to, struct json item)
{
	struct user u = { 0 };
	struct buf text BUF_SCOPED = BUF_INTO(&u.item);
	JSON_FIELDS(f, item, type, role, id, content);
	if (!json_is(f.type, SPAN("message")) ||
	    !json_is(f.role, SPAN("user")) || codex_is_users_context(item))
		return 0;
	if (array_reserve(&to->list, &to->cap, to->n, 1) < 0)
		return -ENOMEM;
	struct json_writer w = begin_message(&u.item, f.id);
	JSON_EACH(part, f.content) {
		JSON_FIELDS(p, part, type, text);
		if (!json_is(p.type, SPAN("input_text")))
			continue;
		codex_write_quoted(&w, p.text);
		json_decode(&text, p.text);
	}
	end_message(&w);
	u.size = text.len;
	bool summary = is_summary(buf_span(&text));
	int err = buf_error(&u.item);
	if (err || summary) {
		buf_free(&u.item);
		return err;
	}
	to->list[to->n++] = u;
	to->tokens += tokens_of(&u);
	return 0;
}

/* Keep the newest. The oldest of them is cut to what the others leave. */
static int trim(struct users *u)
{
	while (u->first < u->n &&
	       u->tokens - tokens_of(&u->list[u->first]) >= KEPT_TOKENS)
		drop_oldest(u);
	if (u->first == u->n)
		return 0;
	struct user *oldest = &u->list[u->first];
	u->tokens -= tokens_of(oldest);
	int err = cut_user(oldest, KEPT_TOKENS - u->tokens);
	u->tokens += tokens_of(oldest);
	return err;
}

/* Send what is kept, and the text. */
static int send(struct sending *x, const struct users *u, struct json summary)
{
	int err = 0;
	sending_clear(x);
	for (size_t i = u->first; i <= u->n && !err; i++) {
		struct piece p = { .entry = INDEX_NONE,
				   .kind = CODEX_MESSAGE,
				   .from = x->json.len };
		if (i < u->n)
			buf_add(&x->json, buf_span(&u->list[i].item));
		else
			write_summary(&x->json, summary);
		err = sending_add(x, p);
	}
	return err;
}

/* The same of one that another compaction follows: its text is kept, too. */
static int compact(struct users *u, struct json summary)
{
	struct buf item BUF_SCOPED = { 0 };
	struct json v = { 0 };
	int err = trim(u);
	write_summary(&item, summary);
	if (!err)
		err = buf_error(&item);
	if (!err)
		err = json_check(buf_span(&item), &v);
	if (!err)
		err = keep(u, v);
	return err;
}

int codex_compact(struct sending *x, uint32_t from, uint32_t to)
{
	struct users users = { 0 };
	struct buf line BUF_SCOPED = { 0 };
	struct codex_line l;
	int err = 0;
	for (uint32_t i = 0; i < x->n && !err; i++)
		err = keep(&users, sending_json(x, &x->list[i]));
	for (uint32_t i = from; i <= to && !err; i++) {
		err = codex_read_sent(x->s, x->path->list[i], &line, &l);
		if (err || l.kind == CODEX_UNKNOWN)
			continue;
		struct json text = json_get(l.payload, "message");
		if (l.kind == CODEX_ITEM)
			err = keep(&users, l.payload);
		else if (l.kind == CODEX_COMPACTED && i < to)
			err = compact(&users, text);
		else if (l.kind == CODEX_COMPACTED)
			err = trim(&users) ? -ENOMEM : send(x, &users, text);
	}
	while (users.first < users.n)
		drop_oldest(&users);
	free(users.list);
	return err;
}
