#include "mount/commands/grep/print.h"

#include <errno.h>
#include <string.h>

#include "core/base/columns.h"
#include "core/base/escape.h"
#include "core/base/text.h"
#include "core/session/file_name.h"
#include "core/catalogue/session_name.h"
#include "mount/operands/session_line.h"

/* SGR (ECMA-48), as grep has them. */
#define PATH_COLOR "35"
#define LINE_COLOR "32"
#define SEPARATOR_COLOR "36"
#define MATCH_COLOR "01;31"
/* What is beside the path of a session, bold, and of an entry, faint. */
#define SESSION_COLOR "1"
#define ENTRY_COLOR "2"

/* A heading of a session takes so many columns, if these are left for words. */
#define SESSION_COLUMNS 80
#define WORDS_LEAST 40

/* Of the text of a row. */
#define ROW_BYTES 1000

/* Print a text in a color, if there are any. */
static void paint(const struct grep_printer *p, struct buf *out,
		  const char *sgr, struct span text)
{
	if (p->how->color)
		buf_addf(out, "\033[%sm\033[K", sgr);
	buf_add(out, text);
	if (p->how->color)
		buf_adds(out, "\033[m\033[K");
}

static void print_separator(const struct grep_printer *p, bool blank)
{
	if (!blank)
		paint(p, p->out, SEPARATOR_COLOR, SPAN("--"));
	buf_addc(p->out, '\n');
}

void grep_print_separator(const struct grep_printer *p)
{
	print_separator(p, p->how->heading);
}

void grep_print_add_path(const struct grep_printer *p, struct buf *out)
{
	buf_add(out, buf_span(&p->of->prefix));
	buf_adds(out, "by-id/");
	index_add_name(&p->session->now.index, out, p->entry);
	buf_adds(out, "/" FILE_NAME_CONTENT);
}

/* -- headings */

static void print_session_heading(struct grep_printer *p)
{
	struct span prefix = buf_span(&p->of->prefix);
	struct buf path BUF_SCOPED = BUF_INTO(p->out);
	struct buf words BUF_SCOPED = BUF_INTO(p->out);
	size_t taken = 0;
	prefix.n -= prefix.n > 0; /* the slash */
	if (p->how->shows_path && prefix.n > 0) {
		text_add_one_line(&path, prefix);
		taken = columns_of(buf_span(&path)) + 2;
	}
	int err = session_line_add(p->session,
				   taken + WORDS_LEAST < SESSION_COLUMNS
					   ? SESSION_COLUMNS - taken
					   : WORDS_LEAST,
				   &words);
	if (err == -ENOMEM)
		buf_fail(p->out);
	if (path.len > 0)
		paint(p, p->out, PATH_COLOR, buf_span(&path));
	if (path.len > 0 && words.len > 0)
		buf_adds(p->out, "  ");
	if (words.len > 0)
		paint(p, p->out, SESSION_COLOR, buf_span(&words));
	if (path.len > 0 || words.len > 0)
		buf_addc(p->out, '\n');
}

static void print_entry_heading(struct grep_printer *p)
{
	struct buf path BUF_SCOPED = BUF_INTO(p->out);
	struct buf rest BUF_SCOPED = BUF_INTO(p->out);
	if (!p->how->shows_path) {
		session_name_add_id(&path, p->session->log.path);
		buf_addc(&path, '/');
	}
	int err = grep_heading_add(&p->heading, p->session, p->entry, &path,
				   &rest);
	if (err)
		buf_fail(p->out);
	paint(p, p->out, PATH_COLOR, buf_span(&path));
	paint(p, p->out, ENTRY_COLOR, buf_span(&rest));
	buf_addc(p->out, '\n');
}

static void print_headings(struct grep_printer *p)
{
	bool is_first = p->out->len == 0;
	if (p->last_of != p->of)
		print_session_heading(p);
	if (is_first) {
		p->batch->first = p->of->number;
		p->batch->heading = p->out->len;
	}
	print_entry_heading(p);
}

/* -- a content */

void grep_print_begin(struct grep_printer *p, struct pieced *of,
		      const struct session *s, uint32_t entry)
{
	p->of = of;
	p->session = s;
	p->entry = entry;
	p->last = 0;
}

/* The columns that the rows of a content share (hits.h). */
static void make_columns(struct grep_printer *p)
{
	struct buf *to = &p->before;
	buf_adds(to, p->how->files ? "" : "y");
	buf_addc(to, '\0');
	buf_adds(to, p->of->row->path);
	buf_addc(to, '\0');
	buf_add(to, buf_span(&p->of->prefix));
	buf_addc(to, '\0');
	index_add_name(&p->session->now.index, to, p->entry);
	buf_addc(to, '\0');
	grep_heading_add_row(p->session, p->entry, to);
}

static void begin_content(struct grep_printer *p)
{
	const struct grep_options *how = p->how;
	if (p->last_of && how->heading)
		print_separator(p, true);
	else if (p->last_of && how->contexts)
		print_separator(p, false);
	buf_clear(&p->before);
	if (how->table) {
		make_columns(p);
	} else if (how->heading) {
		print_headings(p);
	} else {
		struct buf path BUF_SCOPED = BUF_INTO(&p->before);
		grep_print_add_path(p, &path);
		paint(p, &p->before, PATH_COLOR, buf_span(&path));
	}
	p->last_of = p->of;
	buf_inherit(p->out, &p->before);
}

/*
 * Does the line begin a group? With -o no context is printed, but it joins
 * groups all the same.
 */
static bool is_apart(const struct grep_printer *p, uint64_t line)
{
	const struct grep_options *how = p->how;
	uint64_t between = line - p->last;
	if (!how->only_matching || between <= 1)
		return between > 1;
	return between - 1 > how->before &&
	       between - 1 - how->before > how->after;
}

static void add_number(struct buf *out, uint64_t n)
{
	char digits[20];
	size_t at = sizeof(digits);
	do {
		digits[--at] = (char)('0' + n % 10);
		n /= 10;
	} while (n > 0);
	buf_add(out, (struct span){ digits + at, sizeof(digits) - at });
}

static void print_place(struct grep_printer *p, const struct grep_line *line)
{
	struct span sign = line->selected ? SPAN(":") : SPAN("-");
	struct buf number = { 0 };
	if (!p->how->heading) {
		buf_add(p->out, buf_span(&p->before));
		paint(p, p->out, SEPARATOR_COLOR, sign);
	}
	if (p->how->color) {
		add_number(&number, line->number);
		paint(p, p->out, LINE_COLOR, buf_span(&number));
		buf_free_into(&number, p->out);
	} else {
		add_number(p->out, line->number);
	}
	paint(p, p->out, SEPARATOR_COLOR, sign);
}

/* A text as it is shown: on a terminal, and of rows, without what it hides. */
static struct span shown(struct grep_printer *p, struct span text)
{
	if (!p->how->heading && !p->how->table)
		return text;
	buf_clear(&p->plain);
	escape_add_plain(&p->plain, text);
	buf_inherit(p->out, &p->plain);
	return buf_span(&p->plain);
}

/* Before what is printed of a line: what is above it. */
static void begin_line(struct grep_printer *p, const struct grep_line *line)
{
	if (p->last == 0)
		begin_content(p);
	else if (p->how->contexts && is_apart(p, line->number))
		print_separator(p, false);
	p->last = line->number;
}

/* After a match: where the next may begin. */
static size_t after(struct span text, struct match m)
{
	size_t at = m.from + 1;
	if (m.to > m.from)
		return m.to;
	while (at < text.n && (text.p[at] & 0xC0) == 0x80)
		at++;
	return at;
}

/* Print a text of a line with its matches in color, or with -o each alone. */
static int print_matches(struct grep_printer *p, const struct grep_line *line,
			 struct span text)
{
	bool alone = p->how->only_matching;
	size_t done = 0;
	struct match m;
	int found = 1;
	for (size_t at = 0; at <= text.n; at = after(text, m)) {
		found = matcher_find(p->matcher, text, at, &m);
		if (found <= 0)
			break;
		struct span match = { text.p + m.from, m.to - m.from };
		if (m.to <= m.from)
			continue;
		if (alone) {
			begin_line(p, line);
			print_place(p, line);
			paint(p, p->out, MATCH_COLOR, shown(p, match));
			buf_addc(p->out, '\n');
			continue;
		}
		buf_add(p->out, (struct span){ text.p + done, m.from - done });
		paint(p, p->out, MATCH_COLOR, match);
		done = m.to;
	}
	if (!alone)
		buf_add(p->out, span_from(text, done));
	return found < 0 ? -1 : 0;
}

int grep_print_line(struct grep_printer *p, const struct grep_line *line)
{
	const struct grep_options *how = p->how;
	/* With -v it is context that matches. */
	bool matches = line->selected != (how->invert > 0);
	int err = 0;
	if (how->only_matching)
		return line->selected && matches
			       ? print_matches(p, line, line->text)
			       : 0;
	begin_line(p, line);
	struct span text = shown(p, line->text);
	if (how->table) {
		buf_add(p->out, buf_span(&p->before));
		add_number(p->out, line->number);
		buf_addc(p->out, '\0');
		size_t at = p->out->len;
		buf_add(p->out, text_start(text, ROW_BYTES));
		for (; at < p->out->len; at++) {
			if (p->out->data[at] == '\t')
				p->out->data[at] = ' ';
		}
		buf_addc(p->out, '\0');
		return 0;
	}
	print_place(p, line);
	if (how->color && matches)
		err = print_matches(p, line, text);
	else
		buf_add(p->out, text);
	buf_addc(p->out, '\n');
	return err;
}

void grep_print_session(const struct grep_printer *p, const struct pieced *d)
{
	struct buf line BUF_SCOPED = BUF_INTO(p->out);
	/* The path of the file, in place of that in a mount. */
	int err = p->how->files ? pieced_add_file(d, &line) : 0;
	if (!p->how->files)
		buf_add(&line, d->name);
	if (err)
		buf_fail(p->out);
	if (p->how->heading) /* for a terminal */
		text_add_one_line(p->out, buf_span(&line));
	else
		buf_add(p->out, buf_span(&line));
}

void grep_print_leave(struct grep_printer *p)
{
	grep_heading_end(&p->heading);
	p->session = NULL;
}

void grep_print_end(struct grep_printer *p)
{
	if (p->last_of)
		p->batch->last = p->last_of->number;
	grep_print_leave(p);
	buf_free(&p->before);
	buf_free(&p->plain);
}
