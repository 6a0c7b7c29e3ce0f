#include "mount/commands/grep/heading.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/base/columns.h"
#include "core/base/text.h"
#include "core/json/timestamp.h"
#include "core/session/bookkeeping.h"
#include "core/session/dialect.h"
#include "core/show/summary.h"

/* In tips: the entry is on the path to HEAD. */
#define HEADING_HEAD (INDEX_NONE - 1)

/* A longer name of a branch is cut: a UUID, of which the start is enough. */
#define TIP_COLUMNS 16
#define TIP_CUT 8

/* The columns of the words in a table at most. */
#define TABLE_WORDS 60

/* Set the tip of an entry and its ancestors, up to one that has a tip. */
static void mark_path(struct grep_heading *h, const struct index *x,
		      uint32_t entry, uint32_t tip)
{
	while (entry != INDEX_NONE && h->tips[entry] == INDEX_NONE) {
		h->tips[entry] = tip;
		entry = bookkeeping_shown_parent(x, entry);
	}
}

/* HEAD's path comes first, then the newest tips. */
static int find_tips(struct grep_heading *h, const struct session *s)
{
	const struct index *x = &s->now.index;
	free(h->tips);
	h->n = x->n;
	h->tips = malloc(((size_t)x->n + 1) * sizeof(*h->tips));
	if (!h->tips)
		return -ENOMEM;
	for (uint32_t i = 0; i < x->n; i++)
		h->tips[i] = INDEX_NONE;
	mark_path(h, x, session_head(s), HEADING_HEAD);
	for (uint32_t i = x->n; i-- > 0;) {
		if (bookkeeping_is_tip(x, i))
			mark_path(h, x, i, i);
	}
	return 0;
}

static int describe_for_table(struct grep_heading *h, const struct session *s)
{
	buf_reset(&h->about);
	int err = summary_add_words(s, TABLE_WORDS, &h->about);
	h->words = h->about.len;
	json_decode(&h->about, session_header(s, "parentSession"));
	text_finish(&h->about, h->words);
	return err ? err : buf_error(&h->about);
}

/* Find the tips of a session, unless they are known. */
static int describe(struct grep_heading *h, const struct pieced *of)
{
	const struct session *s = of->at->session;
	if (h->tips && h->of == of && h->epoch == s->epoch &&
	    h->n == s->now.index.n)
		return 0;
	h->of = of;
	h->epoch = s->epoch;
	int err = find_tips(h, s);
	return err || !h->table ? err : describe_for_table(h, s);
}

static void add_part(const struct grep_heading *h, struct buf *out,
		     struct span text)
{
	if (text.n == 0 && !h->table)
		return;
	buf_adds(out, h->table ? "\t" : "  ");
	text_add_one_line(out, text);
}

static void add_time(const struct grep_heading *h, struct buf *out, int64_t ms)
{
	time_t t = (time_t)(ms / 1000);
	struct tm tm;
	char text[64];
	if (ms == TIMESTAMP_NONE || !localtime_r(&t, &tm) ||
	    strftime(text, sizeof(text), "%Y-%m-%d %H:%M", &tm) == 0)
		text[0] = '\0';
	add_part(h, out, span_of(text));
}

static int add_role(const struct grep_heading *h, struct buf *out,
		    const struct session *s, uint32_t entry)
{
	struct buf line = { 0 };
	struct buf role = { 0 };
	struct json json;
	int err = session_read(s, entry, &line, &json);
	if (!err) {
		s->dialect->showing->role_or_type(&role, json);
		err = buf_error(&role);
	}
	add_part(h, out, buf_span(&role));
	buf_free(&line);
	buf_free(&role);
	return err;
}

/* A name that is longer than TIP_COLUMNS is cut to TIP_CUT. */
static void add_tip(struct buf *out, const struct index *x, uint32_t tip)
{
	struct columns c;
	struct buf name = { 0 };
	struct buf line = { 0 };
	index_add_name(x, &name, tip);
	text_add_one_line(&line, buf_span(&name));
	struct span shown = buf_span(&line);
	columns_begin(&c);
	bool cut = columns_of(&c, shown) > TIP_COLUMNS;
	if (cut)
		shown = columns_fit(&c, shown, TIP_CUT);
	columns_end(&c);
	buf_adds(out, "branches/");
	buf_add(out, shown);
	if (cut)
		buf_adds(out, "…");
	buf_free_into(&name, out);
	buf_free_into(&line, out);
}

static void add_branch(const struct grep_heading *h, struct buf *out,
		       const struct index *x, uint32_t entry)
{
	uint32_t shown = x->entries[entry].stands_for;
	uint32_t tip = shown == INDEX_NONE ? INDEX_NONE : h->tips[shown];
	struct buf branch = { 0 };
	if (tip == HEADING_HEAD)
		buf_adds(&branch, "HEAD");
	else if (tip != INDEX_NONE)
		add_tip(&branch, x, tip);
	add_part(h, out, buf_span(&branch));
	buf_free_into(&branch, out);
}

static void add_for_table(const struct grep_heading *h, struct buf *out,
			  int64_t ms)
{
	struct span words = { h->about.data, h->words };
	struct span parent = buf_span(&h->about);
	parent.p += h->words;
	parent.n -= h->words;
	add_part(h, out, words);
	buf_addc(out, '\t');
	timestamp_add(out, ms);
	add_part(h, out, parent);
}

static int add_entry(struct grep_heading *h, const struct pieced *of,
		     struct span name, struct buf *out)
{
	const struct session *s = of->at->session;
	const struct index *x = &s->now.index;
	uint32_t entry = index_find_name(x, name);
	if (entry == INDEX_NONE)
		return 0;
	int err = describe(h, of);
	if (err)
		return err;
	add_time(h, out, x->entries[entry].time);
	err = add_role(h, out, s, entry);
	if (err == -ENOMEM)
		return err;
	add_branch(h, out, x, entry);
	if (h->table)
		add_for_table(h, out, x->entries[entry].time);
	return buf_error(out);
}

int grep_heading_add_entry(struct grep_heading *h, const struct pieced *of,
			   struct span name, struct buf *out)
{
	int err = place_enter(of->at);
	if (err)
		return err == -ENOMEM ? err : 0;
	err = add_entry(h, of, name, out);
	place_leave(of->at);
	return err;
}

int grep_heading_add_words(const struct pieced *of, size_t columns,
			   struct buf *out)
{
	int err = place_enter(of->at);
	if (err)
		return err == -ENOMEM ? err : 0;
	err = summary_add_words(of->at->session, columns, out);
	place_leave(of->at);
	return err;
}

void grep_heading_free(struct grep_heading *h)
{
	free(h->tips);
	buf_free(&h->about);
	*h = (struct grep_heading){ 0 };
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

/* The length of a control character at the start of a text, or 0. */
static size_t control_length(struct span text)
{
	unsigned char c = (unsigned char)text.p[0];
	if (text_is_c1(text))
		return 2;
	return (c < 0x20 && c != '\t' && c != '\n') || c == 0x7F;
}

void grep_heading_add_text(struct buf *out, struct span text, bool colors)
{
	size_t from = 0;
	size_t i = 0;
	while (i < text.n) {
		struct span rest = { text.p + i, text.n - i };
		size_t skip = colors ? color_length(rest) : 0;
		if (skip > 0) {
			i += skip;
			continue;
		}
		skip = control_length(rest);
		if (skip == 0) {
			i++;
			continue;
		}
		buf_add(out, (struct span){ text.p + from, i - from });
		i += skip;
		from = i;
	}
	buf_add(out, (struct span){ text.p + from, text.n - from });
}
