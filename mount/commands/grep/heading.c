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
#include "core/show/rows.h"
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

/*
 * Find the tips of a session, unless they are known: first that of HEAD's path,
 * then the newest. For a table find what is the same for all its entries, too.
 */
static int describe(struct grep_heading *h, const struct pieced *of)
{
	const struct session *s = of->at->session;
	const struct index *x = &s->now.index;
	if (h->tips && h->of == of && h->epoch == s->epoch && h->n == x->n)
		return 0;
	free(h->tips);
	h->of = of;
	h->epoch = s->epoch;
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
	if (!h->table)
		return 0;
	buf_reset(&h->about);
	int err = summary_add_words(s, TABLE_WORDS, &h->about);
	h->words = h->about.len;
	json_decode(&h->about, session_header(s, "parentSession"));
	text_finish(&h->about, h->words);
	return err ? err : buf_error(&h->about);
}

static void add_part(const struct grep_heading *h, struct buf *out,
		     struct span text)
{
	if (text.n == 0 && !h->table)
		return;
	buf_adds(out, h->table ? "\t" : "  ");
	text_add_one_line(out, text);
}

static int add_role(const struct grep_heading *h, struct buf *out,
		    const struct session *s, uint32_t entry)
{
	struct buf line = { 0 };
	struct buf role = { 0 };
	struct json json;
	int err = session_read(s, entry, &line, &json);
	if (!err) {
		rows_add_role(s->dialect->showing, &role, json);
		err = buf_error(&role);
	}
	add_part(h, out, buf_span(&role));
	buf_free(&line);
	buf_free(&role);
	return err;
}

/* A name that is longer than TIP_COLUMNS is cut to TIP_CUT. */
static void add_branch(const struct grep_heading *h, struct buf *out,
		       const struct index *x, uint32_t entry)
{
	uint32_t shown = x->entries[entry].stands_for;
	uint32_t tip = shown == INDEX_NONE ? INDEX_NONE : h->tips[shown];
	struct columns c;
	struct buf branch = { 0 };
	struct buf name = { 0 };
	struct buf line = { 0 };
	if (tip == HEADING_HEAD) {
		buf_adds(&branch, "HEAD");
	} else if (tip != INDEX_NONE) {
		index_add_name(x, &name, tip);
		text_add_one_line(&line, buf_span(&name));
		columns_begin(&c);
		bool cut = columns_of(&c, buf_span(&line)) > TIP_COLUMNS;
		buf_adds(&branch, "branches/");
		buf_add(&branch, cut ? columns_fit(&c, buf_span(&line), TIP_CUT)
				     : buf_span(&line));
		buf_adds(&branch, cut ? "…" : "");
		columns_end(&c);
	}
	add_part(h, out, buf_span(&branch));
	buf_free_into(&branch, out);
	buf_free_into(&name, out);
	buf_free_into(&line, out);
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
	int64_t ms = x->entries[entry].time;
	time_t t = (time_t)(ms / 1000);
	struct tm tm;
	char time[64];
	if (ms == TIMESTAMP_NONE || !localtime_r(&t, &tm) ||
	    strftime(time, sizeof(time), "%Y-%m-%d %H:%M", &tm) == 0)
		time[0] = '\0';
	add_part(h, out, span_of(time));
	err = add_role(h, out, s, entry);
	if (err == -ENOMEM)
		return err;
	add_branch(h, out, x, entry);
	if (h->table) {
		struct span about = buf_span(&h->about);
		add_part(h, out, (struct span){ about.p, h->words });
		buf_addc(out, '\t');
		timestamp_add(out, ms);
		add_part(h, out,
			 (struct span){ about.p + h->words,
					about.n - h->words });
	}
	return 0;
}

void grep_heading_add_entry(struct grep_heading *h, const struct pieced *of,
			    struct span name, struct buf *out)
{
	int err = place_enter(of->at);
	if (!err) {
		err = add_entry(h, of, name, out);
		place_leave(of->at);
	}
	out->failed = out->failed || err == -ENOMEM;
}

void grep_heading_add_words(const struct pieced *of, size_t columns,
			    struct buf *out)
{
	int err = place_enter(of->at);
	if (!err) {
		err = summary_add_words(of->at->session, columns, out);
		place_leave(of->at);
	}
	out->failed = out->failed || err == -ENOMEM;
}

void grep_heading_free(struct grep_heading *h)
{
	free(h->tips);
	buf_free(&h->about);
	*h = (struct grep_heading){ 0 };
}
