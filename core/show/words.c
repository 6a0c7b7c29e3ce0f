#include "core/show/words.h"

#include "core/base/text.h"
#include "core/json/js.h"
#include "core/session/dialect.h"

void words_add_plain(struct buf *out, struct span text)
{
	bool space = true;
	for (size_t i = 0; i < text.n; i++) {
		unsigned char c = (unsigned char)text.p[i];
		bool c1 = text_is_c1((struct span){ text.p + i, text.n - i });
		if (c > 0x20 && c != 0x7F && !c1) {
			buf_addc(out, (char)c);
			space = false;
		} else if (!space) {
			buf_addc(out, ' ');
			space = true;
		}
		i += c1;
	}
}

void words_begin(struct words *w, const struct session *s)
{
	*w = (struct words){ .s = s };
	columns_begin(&w->columns);
}

void words_end(struct words *w)
{
	columns_end(&w->columns);
}

void words_add_kind(struct words *w, struct buf *out, struct json json,
		    size_t most)
{
	struct buf text = { 0 };
	size_t at = out->len;
	w->s->dialect->role_or_type(&text, json);
	text_finish(&text, 0);
	words_add_plain(out, columns_fit(&w->columns, buf_span(&text), most));
	text_finish(out, at);
	out->failed = out->failed || text.failed;
	buf_free(&text);
}

static void add_block(struct buf *text, const struct block *b)
{
	if (text->len > 0)
		buf_addc(text, ' ');
	if (b->type == BLOCK_TEXT) {
		json_decode(text, b->text);
	} else if (b->type == BLOCK_CALL) {
		buf_addc(text, '<');
		js_to_string(text, b->name);
		buf_addc(text, '>');
	} else if (b->type == BLOCK_PICTURE) {
		buf_adds(text, "<picture>");
	}
}

/* Append the blocks up to the one that makes it `enough` bytes. */
static void add_start(const struct session *s, struct buf *text,
		      struct json entry, size_t enough)
{
	const struct dialect *d = s->dialect;
	struct json blocks = d->blocks(entry);
	if (json_type(blocks) != JSON_ABSENT) {
		struct block_walk w = block_walk(d->read_block, blocks);
		struct block b;
		struct json raw;
		while (text->len < enough && block_next(&w, &b, &raw))
			add_block(text, &b);
	} else if (!d->text || !d->text(s, text, entry)) {
		d->preview(text, entry);
	}
	text_finish(text, 0);
}

/* Append the text, cut to so many columns. */
static void add_cut(struct words *w, struct buf *out, struct span text,
		    size_t most)
{
	struct span fit = columns_fit(&w->columns, text, most);
	if (fit.n < text.n) {
		buf_add(out, columns_fit(&w->columns, text, most - 1));
		buf_adds(out, "…");
	} else {
		buf_add(out, fit);
	}
}

int words_add(struct words *w, struct buf *out, uint32_t entry,
	      struct json json, size_t most)
{
	struct buf text = { 0 };
	struct buf plain = { 0 };
	(void)entry;
	add_start(w->s, &text, json, 4 * most);
	words_add_plain(&plain, buf_span(&text));
	add_cut(w, out, text_trim(buf_span(&plain)), most);
	out->failed = out->failed || text.failed || plain.failed;
	buf_free(&text);
	buf_free(&plain);
	return 0;
}
