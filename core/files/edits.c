#include "core/files/edits.h"

#include "core/base/text.h"
#include "core/session/dialect.h"
#include "core/show/touches.h"

void edits_decode(struct buf *out, struct json v)
{
	size_t from = out->len;
	json_decode(out, v);
	text_finish(out, from);
}

bool edits_output(const struct filed *call, struct buf *out)
{
	block_reader *read = call->s->dialect->showing->read_block;
	bool all = true;
	BLOCK_EACH(b, read, call->output) {
		all = all && b.type == BLOCK_TEXT;
		if (b.type == BLOCK_TEXT)
			edits_decode(out, b.text);
	}
	return all;
}

void edits_write(struct file_text *t, struct json text)
{
	struct buf made BUF_SCOPED = BUF_INTO(&t->text);
	edits_decode(&made, text);
	file_text_write(t, buf_span(&made));
}

void edits_see(struct file_text *t, struct span text)
{
	if (edits_has(text, "\xEF\xBF\xBD"))
		edits_no_text(t);
	else
		file_text_see(t, text);
}

/* What was lost before says more. */
static void read_as(struct file_text *t, enum file_state state)
{
	if (t->state != FILE_IS_KNOWN && t->state != FILE_IS_UNSEEN &&
	    t->state != FILE_IS_UNFIT && t->state != FILE_IS_UNKNOWN)
		file_text_lose(t, state);
}

void edits_part(struct file_text *t)
{
	read_as(t, FILE_IS_PART);
}

void edits_no_text(struct file_text *t)
{
	read_as(t, FILE_IS_NO_TEXT);
}

bool edits_can(struct file_text *t)
{
	if (t->state == FILE_IS_KNOWN)
		return true;
	if (t->state != FILE_IS_UNFIT && t->state != FILE_IS_UNKNOWN)
		file_text_lose(t, FILE_IS_UNSEEN);
	return false;
}

size_t edits_find(struct span text, struct span what, size_t from)
{
	if (from >= text.n)
		return EDITS_NOWHERE;
	const char *p = memmem(text.p + from, text.n - from, what.p, what.n);
	return p ? (size_t)(p - text.p) : EDITS_NOWHERE;
}

/* The next place after one that was replaced is behind what was put there. */
bool edits_replace(struct file_text *t, struct span old, struct span new,
		   bool all)
{
	size_t at = 0;
	bool found = false;
	while (old.n > 0 && !buf_error(&t->text) && (all || !found)) {
		at = edits_find(buf_span(&t->text), old, at);
		if (at == EDITS_NOWHERE)
			break;
		file_text_splice(t, at, old.n, new);
		at += new.n;
		found = true;
	}
	return found;
}

void edits_take_line_end(struct buf *old, struct span new, struct span text)
{
	size_t n = old->len;
	if (new.n > 0 || n == 0 || old->data[n - 1] == '\n')
		return;
	buf_addc(old, '\n');
	if (edits_find(text, buf_span(old), 0) == EDITS_NOWHERE)
		old->len = n;
}

int edits_is_path(const struct filed *call, struct json path)
{
	struct buf text = { 0 };
	struct buf real BUF_SCOPED = { 0 };
	json_decode(&text, path);
	int got = touches_spell(call->s, (struct span){ 0 }, buf_span(&text),
				&real);
	if (got > 0)
		got = span_eq(buf_span(&real), call->path);
	int err = buf_end(&text);
	return err ? err : got;
}

bool edits_has(struct span text, const char *what)
{
	return text.n > 0 && memmem(text.p, text.n, what, strlen(what));
}

/* -- ends of lines */

enum line_ends edits_line_ends(struct span text)
{
	size_t lf = 0;
	size_t crlf = 0;
	if (text.n == 0 || !memchr(text.p, '\r', text.n))
		return LINE_ENDS_NONE;
	for (size_t i = 0; i < text.n; i++) {
		bool cr = text.p[i] == '\r';
		if (cr && (i + 1 == text.n || text.p[i + 1] != '\n'))
			return LINE_ENDS_MIXED;
		crlf += cr;
		lf += text.p[i] == '\n';
	}
	return crlf == lf ? LINE_ENDS_CRLF : LINE_ENDS_MIXED;
}

void edits_add_lf(struct buf *out, struct span text)
{
	while (text.n > 0) {
		const char *cr = memmem(text.p, text.n, "\r\n", 2);
		size_t n = cr ? (size_t)(cr - text.p) : text.n;
		buf_add(out, (struct span){ text.p, n });
		n += cr ? 1 : 0;
		text = span_from(text, n);
	}
}

void edits_add_crlf(struct buf *out, struct span text)
{
	char before = '\0';
	for (size_t i = 0; i < text.n; i++) {
		if (text.p[i] == '\n' && before != '\r')
			buf_addc(out, '\r');
		buf_addc(out, text.p[i]);
		before = text.p[i];
	}
}

struct span edits_after_bom(struct span text)
{
	size_t n = span_starts(text, SPAN(EDITS_BOM)) ? 3 : 0;
	return span_from(text, n);
}

void edits_add_shown(struct buf *out, struct span text)
{
	text = edits_after_bom(text);
	while (text.n > 0) {
		struct span line = span_next_line(&text);
		bool ends = line.p + line.n < text.p;
		while (line.n > 0 && strchr(" \t\r", line.p[line.n - 1]))
			line.n--;
		buf_add(out, line);
		buf_adds(out, ends ? "\n" : "");
	}
}

void edits_add_like(struct buf *out, struct span other, struct span shown)
{
	if (edits_after_bom(other).n < other.n)
		buf_adds(out, EDITS_BOM);
	if (edits_line_ends(other) == LINE_ENDS_CRLF)
		edits_add_crlf(out, shown);
	else
		buf_add(out, shown);
}

int edits_same_lf(struct span text, struct span lf)
{
	struct buf made = { 0 };
	if (span_eq(text, lf))
		return 1;
	edits_add_lf(&made, edits_after_bom(text));
	bool same = span_eq(buf_span(&made), edits_after_bom(lf));
	int err = buf_end(&made);
	return err ? err : same;
}

void edits_write_lf(struct file_text *t, struct span text, bool crlf)
{
	struct buf made BUF_SCOPED = BUF_INTO(&t->text);
	if (span_starts(buf_span(&t->text), SPAN(EDITS_BOM)) &&
	    !span_starts(text, SPAN(EDITS_BOM)))
		buf_adds(&made, EDITS_BOM);
	if (crlf)
		edits_add_crlf(&made, text);
	else
		buf_add(&made, text);
	file_text_write(t, buf_span(&made));
}
