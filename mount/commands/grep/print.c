#include "mount/commands/grep/search.h"

#include <errno.h>
#include <stdlib.h>

#include "core/base/columns.h"
#include "core/base/escape.h"
#include "core/base/text.h"
#include "core/catalogue/session_name.h"
#include "core/json/timestamp.h"
#include "core/session/dialect.h"
#include "core/session/file_name.h"
#include "core/show/rows.h"
#include "mount/operands/session_file.h"

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

void grep_print_separator(const struct grep_printer *p, bool blank)
{
	if (!blank)
		paint(p, p->out, SEPARATOR_COLOR, SPAN("--"));
	buf_addc(p->out, '\n');
}

void grep_print_add_path(const struct grep_printer *p, struct buf *out)
{
	buf_add(out, buf_span(&p->of->prefix));
	buf_adds(out, "by-id/");
	index_add_name(&p->session->now.index, out, p->entry);
	buf_adds(out, "/" FILE_NAME_CONTENT);
}

/* -- headings */

/*
 * Headings on a terminal: where the hits below are. They fit a terminal, so
 * what a session's hits share is above the first one of them:
 *
 *     mnt/2026-03-01_a  pi ~/work/wc 2026-03-01 "The name of the session"
 *     by-id/9f3c1a2b  2026-03-01 10:00  user  HEAD
 *     3:a hit
 *
 *     by-id/0c4e5d6f  2026-03-01 10:05  assistant  HEAD
 *     1:another one
 *
 * A session has its path, if the user named one, and what session_line_add()
 * says of it. If none was named, an entry's folder follows the session's id, as
 * commands take it (target.h). An entry has its folder in the session, with its
 * id as short as it can be typed (core/session/short_ids.h), its time, its role
 * or type, and its branch. The branch is HEAD if the entry is on the path to
 * it, otherwise branches/TIP for the newest tip that the entry leads to, as
 * short as well. Bookkeeping is on the branch of the entry that it stands for.
 */

/* Set the tip of an entry and its ancestors, up to one that has a tip. */
static void mark_path(struct grep_heading *h, const struct index *x,
		      uint32_t entry, uint32_t tip)
{
	while (entry != INDEX_NONE && h->tips[entry] == INDEX_NONE) {
		h->tips[entry] = tip;
		entry = bookkeeping_shown_parent(x, entry);
	}
}

/* Find short ids and tips: first those of HEAD's path, then the newest. */
static int begin_heading(struct grep_heading *h, const struct session *s)
{
	const struct index *x = &s->now.index;
	if (h->tips)
		return 0;
	h->tips = malloc(((size_t)x->n + 1) * sizeof(*h->tips));
	if (!h->tips || short_ids_begin(&h->ids, x) < 0)
		return -ENOMEM;
	for (uint32_t i = 0; i < x->n; i++)
		h->tips[i] = INDEX_NONE;
	h->head = session_at_leaf(s);
	mark_path(h, x, h->head, h->head);
	for (uint32_t i = x->n; i-- > 0;) {
		if (bookkeeping_is_tip(x, i))
			mark_path(h, x, i, i);
	}
	return 0;
}

static int add_role(struct buf *out, const struct session *s, uint32_t entry)
{
	struct buf line BUF_SCOPED = { 0 };
	struct json json;
	int err = session_read(s, entry, &line, &json);
	if (!err)
		rows_add_role(s->dialect->showing, out, json);
	return err == -ENOMEM ? err : 0;
}

/* An id on one line, as short as it can be typed. */
static void add_id(const struct grep_heading *h, uint32_t entry,
		   const char *folder, struct buf *out)
{
	struct buf id BUF_SCOPED = BUF_INTO(out);
	short_ids_add(&h->ids, &id, entry);
	buf_adds(out, folder);
	text_add_one_line(out, buf_span(&id));
}

static void add_part(struct buf *out, const struct buf *part)
{
	buf_adds(out, part->len > 0 ? "  " : "");
	text_add_one_line(out, buf_span(part));
}

/*
 * Append an entry's folder, and what comes after it. 0 or -errno. What can't be
 * read any more is left out.
 */
static int add_heading(struct grep_heading *h, const struct session *s,
		       uint32_t entry, struct buf *folder, struct buf *out)
{
	const struct entry *e = session_entry(s, entry);
	struct buf time BUF_SCOPED = BUF_INTO(out);
	struct buf role BUF_SCOPED = BUF_INTO(out);
	int err = begin_heading(h, s);
	if (err)
		return err;
	add_id(h, entry, "by-id/", folder);
	timestamp_add_local(&time, e->time, TIMESTAMP_MINUTE);
	add_part(out, &time);
	err = add_role(&role, s, entry);
	add_part(out, &role);
	uint32_t tip = e->stands_for == INDEX_NONE ? INDEX_NONE
						   : h->tips[e->stands_for];
	if (tip != INDEX_NONE && tip == h->head)
		buf_adds(out, "  HEAD");
	else if (tip != INDEX_NONE)
		add_id(h, tip, "  branches/", out);
	return err ? err : buf_error(out);
}

/*
 * For rows to be chosen from: append the entry's local time, its role or type,
 * the session's agent and project, the time in UTC, and the session that its
 * own was forked off. A NUL ends each.
 */
static void add_row(const struct session *s, uint32_t entry, struct buf *out)
{
	struct buf parent BUF_SCOPED = BUF_INTO(out);
	struct buf cwd BUF_SCOPED = BUF_INTO(out);
	int64_t ms = session_entry(s, entry)->time;
	timestamp_add_local(out, ms, TIMESTAMP_MINUTE);
	buf_addc(out, '\0');
	int err = add_role(out, s, entry);
	buf_addc(out, '\0');
	buf_adds(out, s->dialect->name);
	json_decode(&cwd, session_header(s, "cwd"));
	text_finish(&cwd, 0);
	struct span project = span_last_part(buf_span(&cwd));
	buf_adds(out, project.n > 0 ? " " : "");
	text_add_one_line(out, project);
	buf_addc(out, '\0');
	timestamp_add(out, ms);
	buf_addc(out, '\0');
	json_decode(&parent, session_header(s, "parentSession"));
	text_add_one_line(out, buf_span(&parent));
	buf_addc(out, '\0');
	if (err)
		buf_fail(out);
}

static void end_heading(struct grep_heading *h)
{
	free(h->tips);
	short_ids_end(&h->ids);
	*h = (struct grep_heading){ 0 };
}

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
	int err = add_heading(&p->heading, p->session, p->entry, &path, &rest);
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

/* The columns that the rows of a content share. */
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
	add_row(p->session, p->entry, to);
}

static void begin_content(struct grep_printer *p)
{
	const struct grep_options *how = p->how;
	if (p->last_of && how->heading)
		grep_print_separator(p, true);
	else if (p->last_of && how->contexts)
		grep_print_separator(p, false);
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
		grep_print_separator(p, false);
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
	end_heading(&p->heading);
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
