#include "core/show/words.h"

#include <ctype.h>

#include "core/base/escape.h"
#include "core/base/text.h"
#include "core/session/dialect.h"
#include "core/show/meta.h"
#include "core/show/rows.h"

/* What an entry says, before it is cut. */
struct parts {
	struct buf text;	  /* WTF-8 */
	struct buf made;	  /* WTF-8, what the agent put in the user's */
	struct buf thinking;	  /* WTF-8 */
	bool is_users;		  /* its role is the user's */
	bool thought;		  /* there is some, even if it is empty */
	struct call_list calls;	  /* that it makes */
	struct call_list results; /* calls that it answers */
	unsigned n_results;	  /* that were looked at */
	size_t enough;		  /* bytes of a text */
};

void words_begin(struct words *w, const struct session *s)
{
	*w = (struct words){ .s = s };
	calls_begin(&w->calls, s);
}

void words_end(struct words *w)
{
	calls_end(&w->calls);
}

/* The same, but end when so many bytes have been appended. */
static void add_plain(struct buf *out, struct span text, size_t most)
{
	bool space = true;
	size_t from = out->len;
	for (size_t i = 0; i < text.n && out->len - from < most; i++) {
		struct span rest = span_from(text, i);
		unsigned char c = (unsigned char)text.p[i];
		size_t ascii = 0;
		while (ascii < rest.n && ascii < most - (out->len - from) &&
		       rest.p[ascii] > 0x20 && rest.p[ascii] < 0x7F)
			ascii++;
		if (ascii > 0) {
			buf_add(out, (struct span){ rest.p, ascii });
			space = false;
			i += ascii - 1;
			continue;
		}
		size_t hidden = escape_hidden(rest);
		if (hidden == 0 && c > 0x20) {
			buf_addc(out, (char)c);
			space = false;
		} else if (!space && escape_length(rest) == 0) {
			buf_addc(out, ' ');
			space = true;
		}
		i += hidden > 0 ? hidden - 1 : 0;
	}
}

void words_add_plain(struct buf *out, struct span text)
{
	add_plain(out, text, SIZE_MAX);
}

bool words_add_fit(struct buf *out, struct span text, size_t most)
{
	struct buf plain BUF_SCOPED = BUF_INTO(out);
	words_add_plain(&plain, text);
	text_finish(&plain, 0);
	struct span fit = columns_fit(buf_span(&plain), most);
	bool whole = fit.n == plain.len;
	buf_add(out, fit);
	return whole;
}

void words_make_plain(struct buf *text, size_t most)
{
	struct buf plain = BUF_INTO(text->into);
	text_finish(text, 0);
	add_plain(&plain, text_trim(buf_span(text)), most + 1);
	if (plain.len > most)
		plain.len = text_start(buf_span(&plain), most).n;
	if (plain.len > 0 && plain.data[plain.len - 1] == ' ')
		plain.len--;
	buf_free_into(text, &plain);
	*text = plain;
}

void words_add_kind(struct words *w, struct buf *out, struct json json,
		    size_t most)
{
	struct buf text BUF_SCOPED = BUF_INTO(out);
	size_t at = out->len;
	rows_add_role(w->s->dialect->showing, &text, json);
	text_finish(&text, 0);
	words_add_plain(out, columns_fit(buf_span(&text), most));
	if (out->len > at && out->data[out->len - 1] == ' ')
		out->len--;
	text_finish(out, at);
}

static void add_text(struct buf *text, struct json words, size_t enough)
{
	if (text->len >= enough)
		return;
	if (text->len > 0)
		buf_addc(text, ' ');
	json_decode(text, words);
}

/* Append what was typed of a text, or else is the agent's. Blank: nothing. */
static enum typed add_typed(const struct dialect_showing *d, struct buf *out,
			    struct json words)
{
	struct buf text BUF_SCOPED = BUF_INTO(out);
	size_t from = out->len;
	enum typed typed = TYPED_WORDS;
	json_decode(&text, words);
	if (d->typed)
		typed = d->typed(out, buf_span(&text));
	else
		buf_add(out, buf_span(&text));
	if (out->len == from)
		return TYPED_NOTHING;
	struct span added = { out->data + from, out->len - from };
	return text_trim(added).n > 0 ? typed : TYPED_NOTHING;
}

/* A text of the user's: what was typed is before all that is the agent's. */
static void add_users_text(struct words *w, struct parts *p, struct json words)
{
	struct buf own BUF_SCOPED = BUF_INTO(&p->text);
	if (p->text.len >= p->enough)
		return;
	enum typed typed = add_typed(w->s->dialect->showing, &own, words);
	struct buf *to = typed == TYPED_NOTHING ? &p->made : &p->text;
	if (to->len < p->enough) {
		buf_adds(to, to->len > 0 ? " " : "");
		buf_add(to, buf_span(&own));
	}
}

/* Add what a result answers: the call, or else the tool. */
static int add_result(struct words *w, struct parts *p, uint32_t entry,
		      const struct block *b)
{
	struct buf text BUF_SCOPED = BUF_INTO(&p->text);
	struct call call = { 0 };
	int err = 0;
	if (p->n_results++ >= CALLS_OF_ENTRY)
		return 0;
	if (b->id.raw.n <= CALL_ID_BYTES)
		json_decode(&text, b->id);
	if (text.len > 0)
		err = calls_find(&w->calls, entry, buf_span(&text), &call);
	if (!err && call.name.n == 0) {
		buf_clear(&text);
		json_decode(&text, b->name);
		words_make_plain(&text, p->enough);
		call.name = buf_span(&text);
	}
	call.failed = json_truthy(b->error);
	w->failed = w->failed || call.failed;
	if (call.name.n > 0 || call.failed)
		calls_put(&p->results, &call);
	return err;
}

static int add_block(struct words *w, struct parts *p, uint32_t entry,
		     const struct block *b)
{
	switch (b->type) {
	case BLOCK_TEXT:
		if (p->is_users)
			add_users_text(w, p, b->text);
		else
			add_text(&p->text, b->text, p->enough);
		break;
	case BLOCK_THINKING:
		add_text(&p->thinking, b->text, p->enough);
		p->thought = true;
		break;
	case BLOCK_CALL:
		calls_add_block(&w->calls, &p->calls, b);
		break;
	case BLOCK_RESULT:
		return add_result(w, p, entry, b);
	case BLOCK_PICTURE:
		buf_adds(&p->text,
			 p->text.len > 0 ? " [picture]" : "[picture]");
		break;
	case BLOCK_OTHER:
		break;
	}
	return 0;
}

static bool is_empty(const struct parts *p)
{
	return p->text.len == 0 && !p->thought && p->calls.n == 0 &&
	       p->results.n == 0;
}

/* Drop what the agent has put before a tool's output. */
static void drop_heading(const struct dialect_showing *d, struct parts *p)
{
	struct buf *text = &p->text;
	if (!text->data || p->n_results == 0 || !d->heading)
		return;
	size_t n = d->heading(buf_span(text), NULL);
	text->len -= n;
	memmove(text->data, text->data + n, text->len);
}

static bool is_users(const struct dialect_showing *d, struct json json,
		     struct buf *out)
{
	struct buf role BUF_SCOPED = BUF_INTO(out);
	rows_add_role(d, &role, json);
	bool is = span_eq(buf_span(&role), SPAN("user"));
	return is || (d->is_typed && d->is_typed(json));
}

static int read_parts(struct words *w, struct parts *p, uint32_t entry,
		      struct json json)
{
	const struct dialect_showing *d = w->s->dialect->showing;
	struct json blocks = rows_content(d, json);
	int err = 0;
	p->is_users = d->typed && is_users(d, json, &p->text);
	if (d->result && session_entry(w->s, entry)->type == ENTRY_MESSAGE) {
		struct block b = d->result(json);
		if (b.type == BLOCK_RESULT)
			err = add_result(w, p, entry, &b);
	}
	BLOCK_EACH_WHILE(!err, b, d->read_block, blocks) {
		/* A result without a content, which block_next() hides. */
		if (b.type == BLOCK_OTHER)
			b = d->read_block(b.json);
		err = add_block(w, p, entry, &b);
	}
	if (!err)
		drop_heading(d, p);
	if (!err && is_empty(p))
		buf_add(&p->text, buf_span(&p->made));
	if (!err && is_empty(p))
		rows_add_preview(d, &p->text, json);
	if (!err && is_empty(p) && json_type(blocks) == JSON_ABSENT && d->text)
		d->text(&p->text, json);
	return err;
}

/* "[12,345 tokens]", for a number that may be any text. */
static void add_tokens(struct words *w, struct buf *out, uint32_t entry,
		       struct json json)
{
	struct buf n BUF_SCOPED = BUF_INTO(out);
	uint8_t type = session_entry(w->s, entry)->type;
	bool may = type == ENTRY_COMPACTION || type == ENTRY_BRANCH_SUMMARY;
	if (may)
		meta_add_row(w->s->dialect, "tokens-before", &n, json);
	for (size_t i = 0; i < n.len && i <= 15; i++)
		may = may && isdigit((unsigned char)n.data[i]);
	if (may && n.len > 0 && n.len <= 15) {
		buf_addc(out, '[');
		for (size_t i = 0; i < n.len; i++) {
			if (i > 0 && (n.len - i) % 3 == 0)
				buf_addc(out, ',');
			buf_addc(out, n.data[i]);
		}
		buf_adds(out, " tokens] ");
	}
}

int words_add(struct words *w, struct buf *out, uint32_t entry,
	      struct json json, size_t most)
{
	struct parts p = { .enough = 4 * most };
	struct buf text BUF_SCOPED = BUF_INTO(out);
	w->failed = false;
	int err = read_parts(w, &p, entry, json);
	/* The text as one line, with the marks in front of it. */
	add_tokens(w, &text, entry, json);
	words_make_plain(&p.text, p.enough);
	buf_add(&text, buf_span(&p.text));
	if (p.thought && p.text.len == 0 && p.calls.n == 0) {
		words_make_plain(&p.thinking, p.enough);
		buf_adds(&text, "[thinking] ");
		buf_add(&text, buf_span(&p.thinking));
	}
	if (text.len > 0 && text.data[text.len - 1] == ' ')
		text.len--;
	bool answered = p.results.n > 0;
	words_fit(out, answered ? &p.results : &p.calls, answered,
		  buf_span(&text), most);
	buf_free_into(&p.text, out);
	buf_free_into(&p.thinking, out);
	buf_free_into(&p.made, out);
	buf_free_into(&p.results.bytes, out);
	buf_inherit(out, &p.calls.bytes);
	if (!err && !out->failed)
		calls_keep(&w->calls, entry, &p.calls);
	buf_free(&p.calls.bytes);
	return err;
}

/* Append what was typed of its texts. */
static void add_title(const struct dialect_showing *d, struct buf *out,
		      struct json json, enum typed *typed)
{
	struct buf text BUF_SCOPED = BUF_INTO(out);
	BLOCK_EACH(b, d->read_block, rows_content(d, json)) {
		if (b.type != BLOCK_TEXT)
			continue;
		if (*typed == TYPED_NO_TEXT)
			*typed = TYPED_NOTHING;
		buf_clear(&text);
		enum typed now = add_typed(d, &text, b.text);
		if (now > *typed)
			buf_clear(out);
		else if (now < *typed || now == TYPED_NOTHING ||
			 d->one_text_entitles)
			continue;
		buf_adds(out, out->len > 0 ? " " : "");
		buf_add(out, buf_span(&text));
		*typed = now;
	}
}

int words_add_title(struct words *w, struct buf *out, uint32_t entry,
		    struct json json, size_t most, enum typed *typed)
{
	static const struct call_list none = { 0 };
	struct buf text BUF_SCOPED = BUF_INTO(out);
	int err = 0;
	*typed = TYPED_NO_TEXT;
	add_title(w->s->dialect->showing, &text, json, typed);
	words_make_plain(&text, 4 * most);
	if (*typed == TYPED_NO_TEXT)
		err = words_add(w, out, entry, json, most);
	else
		words_fit(out, &none, false, buf_span(&text), most);
	return err;
}

const char *words_kind_color(struct span kind)
{
	static const struct {
		const char *kind;
		const char *color;
	} colors[] = {
		{ "user", "1;32" },	   { "turn.user", "1;32" },
		{ "assistant", "36" },	   { "turn.assistant", "36" },
		{ "toolResult", "34" },	   { "turn.tool_result", "34" },
		{ "bashExecution", "34" }, { "pythonExecution", "34" },
		{ "compaction", "35" },	   { "branch_summary", "35" },
	};
	for (size_t i = 0; i < sizeof(colors) / sizeof(colors[0]); i++) {
		if (span_eq(kind, span_of(colors[i].kind)))
			return colors[i].color;
	}
	return WORDS_UNSAID_COLOR;
}

int words_add_row(struct words *w, struct buf *out, uint32_t entry,
		  struct json json)
{
	struct buf words BUF_SCOPED = BUF_INTO(out);
	int err = words_add(w, &words, entry, json, WORDS_LINE_COLUMNS);
	words_add_kind(w, out, json, WORDS_LINE_COLUMNS);
	buf_adds(out, words.len > 0 ? "  " : "");
	buf_add(out, buf_span(&words));
	buf_addc(out, '\n');
	return err;
}

int words_add_line(const struct session *s, uint32_t entry, struct buf *out)
{
	struct words w;
	struct buf line BUF_SCOPED = { 0 };
	struct json json;
	int err = session_read(s, entry, &line, &json);
	words_begin(&w, s);
	if (!err)
		err = words_add_row(&w, out, entry, json);
	words_end(&w);
	return err ? err : buf_error(out);
}
