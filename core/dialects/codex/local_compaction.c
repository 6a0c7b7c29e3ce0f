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
#include "core/dialects/codex/item.h"
#include "core/dialects/codex/line.h"

#define KEPT_TOKENS ((size_t)20000)
#define TOKEN_BYTES ((size_t)4)

/* A message of the user. */
struct user {
	struct buf id;	  /* as JSON, or empty */
	struct buf text;  /* of all its parts */
	struct buf parts; /* their sizes, each a size_t */
};

/* Those of them that are kept so far. */
struct users {
	struct user *list;
	size_t first; /* those before it were dropped */
	size_t n;
	size_t cap;
	size_t tokens;
};

static void user_free(struct user *u)
{
	buf_free(&u->id);
	buf_free(&u->text);
	buf_free(&u->parts);
}

static void add_part(struct user *u, struct span text)
{
	buf_add(&u->text, text);
	buf_add(&u->parts, (struct span){ (char *)&text.n, sizeof(text.n) });
}

static void add_parts(struct user *u, struct json item)
{
	struct buf text = { 0 };
	JSON_EACH(part, json_get(item, "content")) {
		JSON_FIELDS(f, part, type, text);
		if (!json_is(f.type, SPAN("input_text")))
			continue;
		buf_clear(&text);
		json_decode(&text, f.text);
		add_part(u, buf_span(&text));
	}
	buf_free_into(&text, &u->text);
}

/* The next of its parts; false at the end. Both positions start at 0. */
static bool next_part(const struct user *u, size_t *i, size_t *at,
		      struct span *part)
{
	if (*i == u->parts.len)
		return false;
	memcpy(&part->n, u->parts.data + *i, sizeof(part->n));
	part->p = buf_span(&u->text).p + *at;
	*i += sizeof(part->n);
	*at += part->n;
	return true;
}

static int user_error(const struct user *u)
{
	return u->id.failed || u->text.failed || u->parts.failed ? -ENOMEM : 0;
}

static size_t tokens_of(const struct user *u)
{
	return (u->text.len + TOKEN_BYTES - 1) / TOKEN_BYTES;
}

static bool continues_character(struct span text, size_t at)
{
	return at < text.n && ((unsigned char)text.p[at] & 0xC0) == 0x80;
}

/*
 * Add a part that is cut out of the middle of a message: what it has of the
 * first `head` bytes, and what is after the first `tail`. `at`: where it begins
 * in the message. `note` is added once, after the head.
 */
static void cut_part(struct user *u, struct span text, size_t at, size_t head,
		     size_t tail, struct buf *note)
{
	size_t first = head > at ? head - at : 0;
	size_t rest = tail > at ? tail - at : 0;
	if (first > text.n)
		first = text.n;
	if (rest > text.n)
		rest = text.n;
	while (first > 0 && continues_character(text, first))
		first--;
	while (rest < text.n && continues_character(text, rest))
		rest++;
	if (first > 0 || text.n == 0)
		add_part(u, (struct span){ text.p, first });
	if (first < text.n && note->len > 0) {
		add_part(u, buf_span(note));
		buf_clear(note);
	}
	if (rest < text.n)
		add_part(u, span_from(text, rest));
}

/* Cut a message to so many tokens, if it has more. */
static int cut_user(struct user *u, size_t tokens)
{
	size_t kept = tokens * TOKEN_BYTES;
	size_t head = kept / 2;
	size_t size = u->text.len;
	struct user cut = { 0 };
	struct buf note = { 0 };
	struct span part;
	if (size <= kept)
		return 0;
	buf_addf(&note, "…%zu tokens truncated…",
		 (size - kept + TOKEN_BYTES - 1) / TOKEN_BYTES);
	for (size_t i = 0, at = 0; next_part(u, &i, &at, &part);)
		cut_part(&cut, part, at - part.n, head, size - (kept - head),
			 &note);
	buf_free_into(&note, &cut.text);
	cut.id = u->id;
	u->id = (struct buf){ 0 };
	user_free(u);
	*u = cut;
	return user_error(u);
}

static void drop_oldest(struct users *u)
{
	u->tokens -= tokens_of(&u->list[u->first]);
	user_free(&u->list[u->first++]);
}

/* Keep an item if it is a message of the user. */
static int keep(struct users *to, struct json item)
{
	struct user u = { 0 };
	JSON_FIELDS(f, item, type, role, id);
	if (!json_is(f.type, SPAN("message")) ||
	    !json_is(f.role, SPAN("user")) || codex_is_users_context(item))
		return 0;
	if (array_reserve(&to->list, &to->cap, to->n, 1) < 0)
		return -ENOMEM;
	buf_add(&u.id, f.id.raw);
	add_parts(&u, item);
	int err = user_error(&u);
	if (err || codex_is_summary(buf_span(&u.text))) {
		user_free(&u);
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

/* Append a message that is kept; or with NULL, the one of a compaction. */
static void write_message(struct buf *out, const struct user *u,
			  struct json summary)
{
	struct json_writer w = { .out = out };
	struct span part;
	json_begin_object(&w, NULL);
	json_write_word(&w, "type", "message");
	if (u && u->id.len > 0)
		json_write_value(&w, "id",
				 (struct json){ .raw = buf_span(&u->id) });
	json_write_word(&w, "role", "user");
	json_begin_array(&w, "content");
	for (size_t i = 0, at = 0; u && next_part(u, &i, &at, &part);)
		codex_write_text(&w, part);
	if (!u && json_truthy(summary))
		codex_write_quoted(&w, summary);
	else if (!u)
		codex_write_text(&w, SPAN("(no summary available)"));
	json_end_array(&w);
	json_end_object(&w);
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
		write_message(&x->json, i < u->n ? &u->list[i] : NULL, summary);
		err = sending_add(x, p);
	}
	return err;
}

/* The same of one that another compaction follows: its text is kept, too. */
static int compact(struct users *u, struct json summary)
{
	struct buf item = { 0 };
	struct json v = { 0 };
	int err = trim(u);
	write_message(&item, NULL, summary);
	if (!err)
		err = buf_error(&item);
	if (!err)
		err = json_check(buf_span(&item), &v);
	if (!err)
		err = keep(u, v);
	buf_free(&item);
	return err;
}

int codex_compact(struct sending *x, uint32_t from, uint32_t to)
{
	struct users users = { 0 };
	struct buf line = { 0 };
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
	buf_free(&line);
	while (users.first < users.n)
		drop_oldest(&users);
	free(users.list);
	return err;
}
