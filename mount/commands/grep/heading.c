#include "mount/commands/grep/heading.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "core/json/timestamp.h"
#include "core/session/bookkeeping.h"
#include "core/session/dialect.h"
#include "core/show/rows.h"
#include "mount/operands/session_line.h"

/* In tips: the entry is on the path to HEAD. */
#define HEADING_HEAD (INDEX_NONE - 1)

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
 * Find the short ids and the tips of a session, unless they are known: first
 * the tip of HEAD's path, then the newest.
 */
static int describe(struct grep_heading *h, const struct session *s,
		    const void *key)
{
	const struct index *x = &s->now.index;
	if (h->tips && h->of == key && h->session == s &&
	    h->epoch == s->epoch && h->n == x->n)
		return 0;
	grep_heading_free(h);
	h->of = key;
	h->session = s;
	h->epoch = s->epoch;
	h->n = x->n;
	h->tips = malloc(((size_t)x->n + 1) * sizeof(*h->tips));
	if (!h->tips || short_ids_begin(&h->ids, x) < 0)
		return -ENOMEM;
	for (uint32_t i = 0; i < x->n; i++)
		h->tips[i] = INDEX_NONE;
	mark_path(h, x, session_at_leaf(s), HEADING_HEAD);
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

/* An id on one line, as short as it can be typed. */
static void add_id(const struct grep_heading *h, uint32_t entry,
		   const char *folder, struct buf *out)
{
	struct buf id = { 0 };
	short_ids_add(&h->ids, &id, entry);
	buf_adds(out, folder);
	text_add_one_line(out, buf_span(&id));
	buf_free_into(&id, out);
}

static void add_branch(const struct grep_heading *h, struct buf *out,
		       const struct index *x, uint32_t entry)
{
	uint32_t shown = x->entries[entry].stands_for;
	uint32_t tip = shown == INDEX_NONE ? INDEX_NONE : h->tips[shown];
	if (tip == HEADING_HEAD)
		buf_adds(out, "  HEAD");
	else if (tip != INDEX_NONE)
		add_id(h, tip, "  branches/", out);
}

static int add_entry(struct grep_heading *h, const struct session *s,
		     const void *key, uint32_t entry, struct buf *folder,
		     struct buf *out)
{
	const struct index *x = &s->now.index;
	struct buf part = { 0 };
	int err = describe(h, s, key);
	if (err)
		return err;
	add_id(h, entry, "by-id/", folder);
	timestamp_add_local(&part, x->entries[entry].time, TIMESTAMP_MINUTE);
	add_part(out, buf_span(&part));
	buf_clear(&part);
	err = add_role(&part, s, entry);
	add_part(out, buf_span(&part));
	int failed = buf_end(&part);
	if (err == -ENOMEM || failed)
		return -ENOMEM;
	add_branch(h, out, x, entry);
	return buf_error(out);
}

int grep_heading_add_entry(struct grep_heading *h, const struct session *s,
			   uint32_t entry, struct buf *folder, struct buf *out)
{
	return add_entry(h, s, s, entry, folder, out);
}

void grep_heading_add_pieced(struct pieced *of, size_t columns, struct buf *out)
{
	int err = pieced_enter(of);
	if (!err) {
		err = session_line_add(of->session, columns, out);
		pieced_leave(of);
	}
	out->failed = out->failed || err == -ENOMEM;
}

void grep_heading_add_named(struct grep_heading *h, struct pieced *of,
			    struct span name, struct buf *folder,
			    struct buf *out)
{
	int err = pieced_enter(of);
	if (!err) {
		const struct session *s = of->session;
		uint32_t entry = index_find_name(&s->now.index, name);
		if (entry != INDEX_NONE)
			err = add_entry(h, s, of, entry, folder, out);
		pieced_leave(of);
	}
	if (folder->len == 0) {
		buf_adds(folder, "by-id/");
		text_add_one_line(folder, name);
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

void grep_heading_add_row(struct pieced *of, struct span name, struct buf *out)
{
	size_t from = out->len;
	int err = pieced_enter(of);
	if (!err) {
		const struct session *s = of->session;
		uint32_t entry = index_find_name(&s->now.index, name);
		err = entry == INDEX_NONE ? -ESTALE : add_row(s, entry, out);
		pieced_leave(of);
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
	short_ids_end(&h->ids);
	*h = (struct grep_heading){ 0 };
}
