
#include "core/files/edits.h"

/* Take a line with its end: LF, or CR where that ends one, too. */
static struct span next_line(struct span *rest, bool cr)
{
	size_t n = 0;
	while (n < rest->n && rest->p[n] != '\n' &&
	       !(cr && rest->p[n] == '\r' &&
		 (n + 1 == rest->n || rest->p[n + 1] != '\n')))
		n++;
	n += n < rest->n;
	struct span line = { rest->p, n };
	*rest = span_from(*rest, n);
	return line;
}

/* A hunk: lines that it is of, and as it has them. */
struct hunk {
	uint64_t from;
	uint64_t old;
	uint64_t new;
	struct buf before;
	struct buf after;
	bool ends_changed; /* its last line is no context */
};

static bool take_number(struct span *s, uint64_t *n)
{
	size_t digits = 0;
	*n = 0;
	for (; digits < s->n && digits < 15 && s->p[digits] >= '0' &&
	       s->p[digits] <= '9';
	     digits++)
		*n = *n * 10 + (uint64_t)(s->p[digits] - '0');
	*s = span_from(*s, digits);
	return digits > 0;
}

static bool take(struct span *s, const char *word)
{
	struct span w = span_of(word);
	if (!span_starts(*s, w))
		return false;
	*s = span_from(*s, w.n);
	return true;
}

/* "@@ -FROM,OLD +TO,NEW @@", a number of lines that is 1 may be left out. */
static bool read_head(struct span line, struct hunk *h)
{
	uint64_t to;
	h->old = 1;
	h->new = 1;
	return take(&line, "@@ -") && take_number(&line, &h->from) &&
	       (!take(&line, ",") || take_number(&line, &h->old)) &&
	       take(&line, " +") && take_number(&line, &to) &&
	       (!take(&line, ",") || take_number(&line, &h->new)) &&
	       take(&line, " @@");
}

static void cut_end(struct buf *b)
{
	if (b->len > 0 && b->data[b->len - 1] == '\n')
		b->len--;
	if (b->len > 0 && b->data[b->len - 1] == '\r')
		b->len--;
}

/* Take the lines of a hunk. */
static bool read_lines(struct span *diff, bool cr, struct hunk *h)
{
	uint64_t old = h->old;
	uint64_t new = h->new;
	char mark = '\0';
	buf_clear(&h->before);
	buf_clear(&h->after);
	while (diff->n > 0 && (old + new > 0 || diff->p[0] == '\\')) {
		struct span line = next_line(diff, cr);
		struct span text = span_from(line, 1);
		if (line.p[0] == '\\') {
			if (mark != '+')
				cut_end(&h->before);
			if (mark != '-')
				cut_end(&h->after);
			continue;
		}
		mark = line.p[0] == '\n' ? ' ' : line.p[0];
		if (line.p[0] == '\n')
			text = line;
		bool is_old = mark == ' ' || mark == '-';
		bool is_new = mark == ' ' || mark == '+';
		if ((!is_old && !is_new) || (is_old && old == 0) ||
		    (is_new && new == 0))
			return false;
		if (is_old)
			buf_add(&h->before, text);
		if (is_new)
			buf_add(&h->after, text);
		old -= is_old;
		new -= is_new;
	}
	h->ends_changed = mark != ' ';
	return old + new == 0;
}

static bool apply(struct file_text *t, struct span diff, bool cr,
		  struct hunk *h)
{
	size_t at = 0;
	uint64_t line = 1;
	while (diff.n > 0) {
		if (!read_head(next_line(&diff, cr), h))
			continue;
		if (!read_lines(&diff, cr, h))
			return false;
		uint64_t target = h->old == 0 ? h->from + 1 : h->from;
		struct span rest = { t->text.data + at, t->text.len - at };
		for (; line < target && rest.n > 0; line++)
			next_line(&rest, cr);
		at = t->text.len - rest.n;
		if (line != target || !span_starts(rest, buf_span(&h->before)))
			return false;
		file_text_splice(t, at, h->before.len, buf_span(&h->after));
		at += h->after.len;
		line += h->old;
		if (buf_error(&t->text))
			return true;
	}
	return true;
}

static void free_hunk(struct hunk *h, struct buf *into)
{
	buf_free_into(&h->before, into);
	buf_free_into(&h->after, into);
}

bool edits_unified(struct file_text *t, struct span diff, bool cr)
{
	struct hunk h = { 0 };
	bool fits = apply(t, diff, cr, &h);
	free_hunk(&h, &t->text);
	return fits;
}

bool edits_unified_whole(struct span diff, struct buf *out)
{
	struct hunk h = { 0 };
	bool whole = read_head(next_line(&diff, true), &h) && h.from <= 1 &&
		     read_lines(&diff, true, &h) && diff.n == 0 &&
		     h.ends_changed;
	if (whole)
		buf_add(out, buf_span(&h.after));
	free_hunk(&h, out);
	return whole;
}
