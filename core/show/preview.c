#include "core/show/preview.h"

#include "core/base/text.h"
#include "core/json/js.h"
#include "core/session/dialect.h"

void preview_add_plain(struct buf *out, struct span text)
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

void preview_add_kind(const struct session *s, struct buf *out,
		      struct json entry, const struct columns *c, size_t most)
{
	struct buf text = { 0 };
	size_t at = out->len;
	s->dialect->role_or_type(&text, entry);
	text_finish(&text, 0);
	preview_add_plain(out, columns_fit(c, buf_span(&text), most));
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

void preview_add(const struct session *s, struct buf *out, struct json entry,
		 size_t enough)
{
	struct buf text = { 0 };
	struct buf plain = { 0 };
	add_start(s, &text, entry, enough);
	preview_add_plain(&plain, buf_span(&text));
	buf_add(out, text_trim(buf_span(&plain)));
	out->failed = out->failed || text.failed || plain.failed;
	buf_free(&text);
	buf_free(&plain);
}
