#include "mount/commands/grep/preview.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/escape.h"
#include "core/base/text.h"
#include "core/file/whole.h"
#include "core/session/bookkeeping.h"
#include "core/show/content.h"
#include "mount/cli/status.h"
#include "mount/cli/terminal.h"
#include "mount/commands/grep/heading.h"
#include "mount/operands/session_line.h"
#include "mount/operands/target.h"

/* Lines of an entry that are shown before and after the hit. */
#define LINES_BEFORE 6
#define LINES_AFTER 24

/* Of the entry before, and of the next one. */
#define LINES_BESIDE 4

#define TITLE_COLUMNS 100

static bool is_escaped(unsigned char c)
{
	return c < 0x20 || c == 0x7F || c == '%' || c == ':';
}

static void add_escaped(struct buf *out, const char *text)
{
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;
		if (is_escaped(c))
			buf_addf(out, "%%%02X", c);
		else
			buf_addc(out, *text);
	}
}

/* The text up to a colon, a tab or the end, for the caller to free. */
static char *unescaped(const char *text)
{
	size_t n = strcspn(text, ":\t");
	char *plain = malloc(n + 1);
	size_t to = 0;
	for (size_t i = 0; i < n && plain; i++) {
		unsigned byte = (unsigned char)text[i];
		if (byte == '%' && sscanf(text + i + 1, "%2X", &byte) == 1)
			i += 2;
		plain[to++] = (char)byte;
	}
	if (plain)
		plain[to] = '\0';
	return plain;
}

void grep_preview_add_key(struct buf *out, const struct grep_row *hit)
{
	const char *const *column = hit->column;
	bool is_mounted = column[ROW_MOUNT][0] != '\0';
	const char *path = is_mounted ? column[ROW_SHOWN] : column[ROW_FILE];
	buf_adds(out, column[ROW_LINE]);
	buf_addc(out, ':');
	add_escaped(out, column[ROW_ENTRY]);
	buf_addc(out, ':');
	add_escaped(out, *path ? path : ".");
}

/* How lines are shown. */
struct shown {
	struct buf out;
	bool colors;
};

static void add_line(struct shown *p, struct span line, const char *sgr)
{
	if (p->colors)
		buf_addf(&p->out, "\033[%sm", sgr);
	escape_add_plain(&p->out, line);
	if (p->colors)
		buf_adds(&p->out, "\033[m");
	buf_addc(&p->out, '\n');
}

/* Lines [from, to) of a text, counted from 1; `hit` stands out. */
static void add_lines(struct shown *p, struct span text, uint64_t from,
		      uint64_t to, uint64_t hit)
{
	for (uint64_t n = 1; text.n > 0 && n < to; n++) {
		struct span line = span_next_line(&text);
		if (n >= from)
			add_line(p, line, n == hit ? "1;7" : hit ? "" : "2");
	}
}

static uint64_t count_lines(struct span text)
{
	uint64_t n = text.n > 0 && text.p[text.n - 1] != '\n';
	for (size_t i = 0; i < text.n; i++)
		n += text.p[i] == '\n';
	return n;
}

/* The end of the entry before, or the start of the next one. */
static int add_beside(struct shown *p, const struct session *s, uint32_t entry,
		      bool is_before)
{
	struct buf text = { 0 };
	if (entry == INDEX_NONE)
		return 0;
	int err = content_add(s, entry, &text);
	uint64_t n = count_lines(buf_span(&text));
	if (!err && !is_before)
		add_line(p, SPAN("--"), "2");
	if (!err)
		add_lines(p, buf_span(&text),
			  is_before && n > LINES_BESIDE ? n - LINES_BESIDE + 1
							: 1,
			  is_before ? n + 1 : LINES_BESIDE + 1, 0);
	if (!err && is_before)
		add_line(p, SPAN("--"), "2");
	buf_free(&text);
	return err;
}

static int add_headings(struct shown *p, const struct target *t)
{
	struct grep_heading h = { 0 };
	struct buf line = { 0 };
	struct buf rest = { 0 };
	int err = session_line_add(t->session, TITLE_COLUMNS, &line);
	add_line(p, buf_span(&line), "1");
	buf_clear(&line);
	if (!err)
		err = grep_heading_add_entry(&h, t->session, t->at, &line,
					     &rest);
	buf_add(&line, buf_span(&rest));
	buf_free_into(&rest, &line);
	add_line(p, buf_span(&line), "1");
	grep_heading_free(&h);
	buf_free_into(&line, &p->out);
	return err;
}

static int add_all(struct shown *p, const struct target *t, uint64_t line)
{
	const struct session *s = t->session;
	const struct index *x = &s->now.index;
	struct buf text = { 0 };
	int err = add_headings(p, t);
	if (!err)
		err = add_beside(p, s, bookkeeping_shown_parent(x, t->at),
				 true);
	if (!err)
		err = content_add(s, t->at, &text);
	if (!err)
		add_lines(p, buf_span(&text),
			  line > LINES_BEFORE ? line - LINES_BEFORE : 1,
			  line + LINES_AFTER, line);
	if (!err)
		err = add_beside(p, s,
				 bookkeeping_next_below(x, t->at, INDEX_NONE),
				 false);
	buf_free_into(&text, &p->out);
	return err ? err : buf_error(&p->out);
}

static int print(const char *path, char *entry, uint64_t line)
{
	struct target t;
	struct shown p = { .colors = !getenv("NO_COLOR") };
	int status = target_find(&t, path);
	if (!status) {
		free(t.entry);
		t.entry = strdup(entry);
		status = target_open(&t);
	}
	int err = !status && t.at != INDEX_NONE ? add_all(&p, &t, line) : 0;
	if (!err && !status)
		err = whole_write(STDOUT_FILENO, buf_span(&p.out));
	if (err)
		status = status_error(path, err);
	buf_free(&p.out);
	target_free(&t);
	return status;
}

int grep_preview_print(const char *key)
{
	const char *at = strchr(key, ':');
	char *end = NULL;
	uint64_t line = at ? strtoull(at + 1, &end, 10) : 0;
	const char *path = end && *end == ':' ? strchr(end + 1, ':') : NULL;
	if (!path)
		return status_trouble(key, "no hit");
	char *name = unescaped(end + 1);
	char *plain = unescaped(path + 1);
	int status = name && plain ? print(plain, name, line)
				   : status_trouble("grep", strerror(ENOMEM));
	free(name);
	free(plain);
	return status;
}
