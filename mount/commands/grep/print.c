#include "mount/commands/grep/print.h"

#include <string.h>

#include "core/base/columns.h"
#include "core/base/escape.h"
#include "core/base/text.h"
#include "core/session/file_name.h"

/* SGR of what is beside the path of a session, bold, and of an entry, faint. */
#define SESSION_COLOR "1"
#define ENTRY_COLOR "2"

/* A heading of a session takes so many columns, if these are left for words. */
#define SESSION_COLUMNS 80
#define WORDS_LEAST 40

/* Of the text of a row. */
#define ROW_BYTES 1000

/* Print a text in a color, if there are any. */
static void print_painted(const struct grep_printer *p, const char *sgr,
			  struct span text)
{
	struct buf *out = p->out;
	bool paint = p->how->color && sgr[0];
	if (paint)
		buf_addf(out, "\033[%sm\033[K", sgr);
	buf_add(out, text);
	if (paint)
		buf_adds(out, "\033[m\033[K");
}

static void print_separator(const struct grep_printer *p, bool blank)
{
	if (!blank)
		print_painted(p, p->colors->separator, SPAN("--"));
	buf_addc(p->out, '\n');
}

void grep_print_separator(const struct grep_printer *p)
{
	print_separator(p, p->how->heading);
}

/*
 * Does the line of the same content begin a group? With -o no context is
 * printed, but it joins groups all the same.
 */
static bool is_apart(const struct grep_printer *p, uint64_t line)
{
	const struct grep_args *a = p->args;
	uint64_t between = line - p->last;
	if (!a->only_matching || between <= 1)
		return between > 1;
	return between - 1 > a->before && between - 1 - a->before > a->after;
}

static void add_path(const struct grep_printer *p, struct buf *path)
{
	buf_add(path, buf_span(&p->mark->of->prefix));
	buf_adds(path, "by-id/");
	buf_add(path, grep_text_name(p->text, p->mark));
	buf_adds(path, "/" FILE_NAME_CONTENT);
}

static void print_session_heading(struct grep_printer *p)
{
	struct pieced *of = p->mark->of;
	struct span prefix = buf_span(&of->prefix);
	struct columns c;
	struct buf path = { 0 };
	struct buf words = { 0 };
	size_t taken = 0;
	prefix.n -= prefix.n > 0; /* the slash */
	if (p->how->shows_path && prefix.n > 0) {
		text_add_one_line(&path, prefix);
		columns_begin(&c);
		taken = columns_of(&c, buf_span(&path)) + 2;
		columns_end(&c);
	}
	grep_heading_add_pieced(of,
				taken + WORDS_LEAST < SESSION_COLUMNS
					? SESSION_COLUMNS - taken
					: WORDS_LEAST,
				&words);
	print_painted(p, p->colors->path, buf_span(&path));
	if (path.len > 0 && words.len > 0)
		buf_adds(p->out, "  ");
	if (words.len > 0)
		print_painted(p, SESSION_COLOR, buf_span(&words));
	if (path.len > 0 || words.len > 0)
		buf_addc(p->out, '\n');
	buf_free_into(&path, p->out);
	buf_free_into(&words, p->out);
}

static void print_entry_heading(struct grep_printer *p)
{
	struct span name = grep_text_name(p->text, p->mark);
	struct buf path = { 0 };
	struct buf rest = { 0 };
	grep_heading_add_named(&p->heading, p->mark->of, name, &path, &rest);
	print_painted(p, p->colors->path, buf_span(&path));
	print_painted(p, ENTRY_COLOR, buf_span(&rest));
	buf_addc(p->out, '\n');
	buf_free_into(&path, p->out);
	buf_free_into(&rest, p->out);
}

/*
 * The output of a batch begins with this if there are headings: only when it is
 * written is it known whether the batch before ended with the same session.
 */
struct printed {
	uint64_t first; /* session */
	uint64_t last;	/* session */
	size_t heading; /* bytes of the first session's heading */
};

static void print_first_heading(struct grep_printer *p)
{
	struct printed head = { .first = p->mark->of->number };
	buf_add(p->out, (struct span){ (char *)&head, sizeof(head) });
	print_session_heading(p);
	head.heading = p->out->len - sizeof(head);
	if (!p->out->failed)
		memcpy(p->out->data, &head, sizeof(head));
}

/* The columns that the hits of a content share. */
static void make_row(struct grep_printer *p)
{
	struct pieced *of = p->mark->of;
	struct span name = grep_text_name(p->text, p->mark);
	buf_clear(&p->row);
	buf_adds(&p->row, p->how->files ? "" : "y");
	buf_addc(&p->row, '\0');
	buf_adds(&p->row, of->row->path);
	buf_addc(&p->row, '\0');
	buf_add(&p->row, buf_span(&of->prefix));
	buf_addc(&p->row, '\0');
	buf_add(&p->row, name);
	buf_addc(&p->row, '\0');
	grep_heading_add_row(of, name, &p->row);
	buf_inherit(p->out, &p->row);
}

/*
 * The length of a color at the start of a text, or 0. grep erases to the end of
 * the line after each: ESC [ PARAMETERS m ESC [ K.
 */
static size_t color_length(struct span text)
{
	size_t i = 2;
	if (!span_starts(text, SPAN("\033[")))
		return 0;
	while (i < text.n && strchr("0123456789;", text.p[i]) && text.p[i])
		i++;
	struct span end = { text.p + i, text.n - i };
	return span_starts(end, SPAN("m\033[K")) ? i + 4 : 0;
}

/*
 * Print text for a terminal: without escape sequences and control characters,
 * except tabs, line breaks and, if there are any, the colors that grep sets.
 */
static void print_text(struct buf *out, struct span text, bool colors)
{
	size_t from = 0;
	for (size_t i = 0; i < text.n;) {
		struct span rest = { text.p + i, text.n - i };
		size_t keep = colors ? color_length(rest) : 0;
		size_t drop = keep > 0 ? 0 : escape_hidden(rest);
		if (drop > 0) {
			buf_add(out, (struct span){ text.p + from, i - from });
			from = i + drop;
		}
		i += keep + drop > 0 ? keep + drop : 1;
	}
	buf_add(out, (struct span){ text.p + from, text.n - from });
}

static void print_row(struct grep_printer *p, const struct grep_hit *h)
{
	struct span text = { h->text.p, h->text.n - 1 };
	if (text.n > ROW_BYTES)
		text.n = ROW_BYTES;
	buf_add(p->out, buf_span(&p->row));
	buf_addf(p->out, "%llu", (unsigned long long)h->line);
	buf_addc(p->out, '\0');
	size_t at = p->out->len;
	print_text(p->out, text, false);
	for (; at < p->out->len; at++) {
		if (p->out->data[at] == '\t')
			p->out->data[at] = ' ';
	}
	buf_addc(p->out, '\0');
}

static void begin_content(struct grep_printer *p, const struct grep_mark *mark)
{
	const struct pieced *was = p->mark ? p->mark->of : NULL;
	p->mark = mark;
	if (p->how->table)
		make_row(p);
	if (p->how->table || !p->how->heading)
		return;
	if (!was)
		print_first_heading(p);
	else if (was != mark->of)
		print_session_heading(p);
	print_entry_heading(p);
}

static void print_line(struct grep_printer *p, const struct grep_hit *h)
{
	const struct grep_colors *colors = p->colors;
	struct span sign = h->selected ? SPAN(":") : SPAN("-");
	struct buf path = { 0 };
	struct buf number = { 0 };
	if (!p->how->heading) {
		add_path(p, &path);
		print_painted(p, colors->path, buf_span(&path));
		print_painted(p, colors->separator, sign);
	}
	buf_addf(&number, "%llu", (unsigned long long)h->line);
	print_painted(p, colors->line, buf_span(&number));
	print_painted(p, colors->separator, sign);
	if (p->how->heading)
		print_text(p->out, h->text, p->how->color);
	else
		buf_add(p->out, h->text);
	buf_free_into(&path, p->out);
	buf_free_into(&number, p->out);
}

void grep_print_hit(struct grep_printer *p, const struct grep_mark *mark,
		    const struct grep_hit *h)
{
	bool other = !p->mark || p->mark != mark;
	if (p->how->table && !h->selected)
		return;
	if (p->mark && !p->how->table) {
		if (other && p->how->heading)
			print_separator(p, true);
		else if (p->args->contexts && (other || is_apart(p, h->line)))
			print_separator(p, false);
	}
	if (other)
		begin_content(p, mark);
	if (p->how->table)
		print_row(p, h);
	else
		print_line(p, h);
	p->last = h->line;
}

void grep_print_session(const struct grep_printer *p, struct pieced *d)
{
	bool file = p->how->files;
	struct buf line = { 0 };
	if (__atomic_exchange_n(&d->marked, 1, __ATOMIC_RELAXED))
		return;
	/* The path of the file, in place of that in a mount. */
	int err = file ? pieced_add_file(d, &line) : 0;
	if (!file)
		buf_add(&line, d->name);
	p->out->failed = p->out->failed || err;
	if (p->how->heading) /* for a terminal */
		text_add_one_line(p->out, buf_span(&line));
	else
		buf_add(p->out, buf_span(&line));
	buf_addc(p->out, '\n');
	buf_free_into(&line, p->out);
}

void grep_print_end(struct grep_printer *p)
{
	struct printed head;
	if (p->how->heading && !p->how->table && p->mark && !p->out->failed) {
		memcpy(&head, p->out->data, sizeof(head));
		head.last = p->mark->of->number;
		memcpy(p->out->data, &head, sizeof(head));
	}
	grep_heading_free(&p->heading);
	buf_free(&p->row);
}

struct span grep_print_join(struct span printed, uint64_t *session)
{
	struct printed head;
	memcpy(&head, printed.p, sizeof(head));
	size_t skip = sizeof(head);
	if (head.first == *session)
		skip += head.heading;
	*session = head.last;
	return (struct span){ printed.p + skip, printed.n - skip };
}
