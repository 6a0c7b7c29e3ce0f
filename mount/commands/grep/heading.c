#include "mount/commands/grep/heading.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/columns.h"
#include "core/base/pathname.h"
#include "core/base/text.h"
#include "core/json/timestamp.h"
#include "core/session/bookkeeping.h"
#include "core/session/dialect.h"
#include "core/show/rows.h"
#include "core/show/summary.h"
#include "core/show/words.h"

/* In tips: the entry is on the path to HEAD. */
#define HEADING_HEAD (INDEX_NONE - 1)

/* A longer name of a branch is cut: a UUID, of which the start is enough. */
#define TIP_COLUMNS 16
#define TIP_CUT 8

/* Of a longer working directory the last folders are kept. */
#define CWD_COLUMNS 30

/* The title has so many columns at least. */
#define TITLE_LEAST 20

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
 * then the newest.
 */
static int describe(struct grep_heading *h, const struct session *s,
		    const void *key)
{
	const struct index *x = &s->now.index;
	if (h->tips && h->of == key && h->epoch == s->epoch && h->n == x->n)
		return 0;
	free(h->tips);
	h->of = key;
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
	return 0;
}

static void add_part(struct buf *out, struct span text)
{
	if (text.n == 0)
		return;
	buf_adds(out, "  ");
	text_add_one_line(out, text);
}

static int add_role(struct buf *out, const struct session *s, uint32_t entry)
{
	struct buf line = { 0 };
	struct json json;
	int err = session_read(s, entry, &line, &json);
	if (!err)
		rows_add_role(s->dialect->showing, out, json);
	buf_free(&line);
	return err;
}

/* A name that is longer than TIP_COLUMNS is cut to TIP_CUT. */
static int add_branch(const struct grep_heading *h, struct buf *out,
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
	add_part(out, buf_span(&branch));
	buf_free_into(&branch, out);
	buf_free_into(&name, out);
	buf_free_into(&line, out);
	return buf_error(out);
}

static int add_entry(struct grep_heading *h, const struct session *s,
		     const void *key, uint32_t entry, struct buf *out)
{
	const struct index *x = &s->now.index;
	struct buf part = { 0 };
	int err = describe(h, s, key);
	if (err)
		return err;
	timestamp_add_local(&part, x->entries[entry].time, TIMESTAMP_MINUTE);
	add_part(out, buf_span(&part));
	buf_clear(&part);
	err = add_role(&part, s, entry);
	add_part(out, buf_span(&part));
	int failed = buf_end(&part);
	if (err == -ENOMEM || failed)
		return -ENOMEM;
	return add_branch(h, out, x, entry);
}

int grep_heading_add_entry(struct grep_heading *h, const struct session *s,
			   uint32_t entry, struct buf *out)
{
	return add_entry(h, s, s, entry, out);
}

/* A directory with "~" for the home directory, the end of it if it is long. */
static void add_directory(struct buf *out, struct span dir)
{
	pathname_begin_home(out, &dir, getenv("HOME"));
	if (dir.n > CWD_COLUMNS) {
		const char *end = dir.p + dir.n;
		const char *from = end - CWD_COLUMNS;
		const char *slash = memchr(from, '/', CWD_COLUMNS);
		from = slash ? slash : memrchr(dir.p, '/', dir.n);
		if (from && from > dir.p) {
			buf_adds(out, out->len > 0 ? "/…" : "…");
			dir = (struct span){ from, (size_t)(end - from) };
		}
	}
	words_add_plain(out, dir);
}

static int add_place(const struct session *s, struct buf *out)
{
	struct buf cwd = { 0 };
	struct buf shown = { 0 };
	json_decode(&cwd, session_header(s, "cwd"));
	text_finish(&cwd, 0);
	add_directory(&shown, buf_span(&cwd));
	buf_adds(out, s->dialect->name);
	if (shown.len > 0)
		buf_addc(out, ' ');
	buf_add(out, buf_span(&shown));
	int64_t ms = summary_time(s);
	if (ms != TIMESTAMP_NONE)
		buf_addc(out, ' ');
	timestamp_add_local(out, ms, TIMESTAMP_DAY);
	buf_free_into(&cwd, out);
	buf_free_into(&shown, out);
	return buf_error(out);
}

int grep_heading_add_session(const struct session *s, size_t columns,
			     struct buf *out)
{
	struct columns c;
	struct buf title = { 0 };
	size_t from = out->len;
	int err = add_place(s, out);
	if (err)
		return err;
	columns_begin(&c);
	size_t taken = columns_of(&c, (struct span){ out->data + from,
						     out->len - from }) +
		       3;
	columns_end(&c);
	err = summary_add_words(s,
				taken + TITLE_LEAST < columns ? columns - taken
							      : TITLE_LEAST,
				&title);
	if (title.len > 0) {
		buf_adds(out, " \"");
		buf_add(out, buf_span(&title));
		buf_addc(out, '"');
	}
	buf_free_into(&title, out);
	return err ? err : buf_error(out);
}

void grep_heading_add_pieced(const struct pieced *of, size_t columns,
			     struct buf *out)
{
	int err = place_enter(of->at);
	if (!err) {
		err = grep_heading_add_session(of->at->session, columns, out);
		place_leave(of->at);
	}
	out->failed = out->failed || err == -ENOMEM;
}

void grep_heading_add_named(struct grep_heading *h, const struct pieced *of,
			    struct span name, struct buf *out)
{
	int err = place_enter(of->at);
	if (!err) {
		const struct session *s = of->at->session;
		uint32_t entry = index_find_name(&s->now.index, name);
		if (entry != INDEX_NONE)
			err = add_entry(h, s, of, entry, out);
		place_leave(of->at);
	}
	out->failed = out->failed || err == -ENOMEM;
}

static int add_row(const struct session *s, uint32_t entry, struct buf *out)
{
	struct buf parent = { 0 };
	int64_t ms = s->now.index.entries[entry].time;
	timestamp_add_local(out, ms, TIMESTAMP_MINUTE);
	buf_addc(out, '\0');
	int err = add_role(out, s, entry);
	buf_addc(out, '\0');
	timestamp_add(out, ms);
	buf_addc(out, '\0');
	json_decode(&parent, session_header(s, "parentSession"));
	text_add_one_line(out, buf_span(&parent));
	buf_addc(out, '\0');
	buf_free_into(&parent, out);
	return err;
}

void grep_heading_add_row(const struct pieced *of, struct span name,
			  struct buf *out)
{
	size_t from = out->len;
	int err = place_enter(of->at);
	if (!err) {
		const struct session *s = of->at->session;
		uint32_t entry = index_find_name(&s->now.index, name);
		err = entry == INDEX_NONE ? -ESTALE : add_row(s, entry, out);
		place_leave(of->at);
	}
	out->failed = out->failed || err == -ENOMEM;
	if (err && !out->failed) { /* the entry is gone */
		out->len = from;
		buf_add(out, (struct span){ "\0\0\0", 4 });
	}
}

void grep_heading_free(struct grep_heading *h)
{
	free(h->tips);
	*h = (struct grep_heading){ 0 };
}
