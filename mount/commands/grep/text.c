#include "mount/commands/grep/text.h"

#include <errno.h>
#include <stdlib.h>

#include "core/base/array.h"
#include "core/base/escape.h"
#include "core/session/dialect.h"
#include "core/show/content.h"
#include "core/show/rows.h"
#include "mount/commands/grep/filter.h"
#include "mount/commands/grep/options.h"

/* A piece that is being added. */
struct adding {
	struct grep_text *t;
	const struct piece *piece;
	struct grep_filter filter;
	struct grep_text was; /* before the piece */
	const struct skip *skip;
	struct buf line; /* that was looked at for it */
};

static int is_said(const struct session *s, uint32_t entry, bool *yes)
{
	struct buf line = { 0 };
	struct span text;
	struct json json;
	int err = session_peek(s, entry, &line, &text, &json);
	*yes = !err && rows_is_said(s->dialect->showing, json);
	buf_free(&line);
	return err;
}

/* Take escape sequences out of the text from an offset on. Lines stay. */
static int make_plain(struct buf *text, size_t from)
{
	struct buf plain = { 0 };
	escape_add_plain(&plain,
			 (struct span){ text->data + from, text->len - from });
	text->len = from;
	buf_add(text, buf_span(&plain));
	buf_free_into(&plain, text);
	return buf_error(text);
}

static int add_mark(const struct adding *a, const struct session *s,
		    uint32_t entry, bool is_rest)
{
	struct grep_text *t = a->t;
	if (array_reserve(&t->marks, &t->cap, t->n, 1) < 0)
		return -ENOMEM;
	struct grep_mark *m = &t->marks[t->n];
	*m = (struct grep_mark){ .first = t->lines + 1,
				 .name = t->names.len,
				 .of = a->piece->of,
				 .is_rest = is_rest };
	index_add_name(&s->now.index, &t->names, entry);
	m->name_size = (uint32_t)(t->names.len - m->name);
	int err = buf_error(&t->names);
	t->n += !err;
	return err;
}

/*
 * Is the entry to be searched? Of one that nobody said hits may be counted, but
 * are not shown.
 */
static int passes(struct adding *a, const struct session *s, uint32_t entry,
		  bool *yes, bool *is_rest)
{
	const struct grep_options *how = a->filter.how;
	int err = grep_filter_entry(&a->filter, s, entry, yes);
	*is_rest = false;
	if (err || !*yes || !how->only_said)
		return err;
	bool said;
	err = is_said(s, entry, &said);
	*is_rest = !said;
	*yes = said || how->counts_rest;
	return err;
}

/* An entry that fails leaves nothing: the marks must fit the text. */
static int add_content(const struct adding *a, const struct session *s,
		       uint32_t entry, bool is_rest)
{
	struct grep_text *t = a->t;
	size_t from = t->text.len;
	uint32_t lines = 0;
	int err = content_add_counted(s, entry, &t->text, &lines);
	if (!err && t->text.len == from)
		return 0;
	if (!err && a->filter.how->plain)
		err = make_plain(&t->text, from);
	if (!err)
		err = add_mark(a, s, entry, is_rest);
	if (err)
		t->text.len = from;
	else
		t->lines += lines;
	return err;
}

/* The filter has to see the first entry. */
static int may_match(struct adding *a, const struct session *s, uint32_t entry,
		     bool *may)
{
	struct span text;
	*may = true;
	if (!a->skip || !a->filter.is_begun)
		return 0;
	int err = session_peek_text(s, entry, &a->line, &text);
	*may = !err && skip_may_match(a->skip, text);
	return err;
}

static int add_entry(void *data, const struct session *s, uint32_t entry)
{
	struct adding *a = data;
	bool yes = false;
	bool is_rest = false;
	int err = may_match(a, s, entry, &yes);
	if (!err && yes)
		err = passes(a, s, entry, &yes, &is_rest);
	return err || !yes ? err : add_content(a, s, entry, is_rest);
}

static void drop(void *data)
{
	struct adding *a = data;
	a->t->text.len = a->was.text.len;
	a->t->names.len = a->was.names.len;
	a->t->n = a->was.n;
	a->t->lines = a->was.lines;
	grep_filter_end(&a->filter);
}

void grep_text_add(struct grep_text *t, struct pieces *p, const struct batch *b,
		   const struct skip *skip)
{
	for (size_t i = 0; i < b->n; i++) {
		struct adding a = { .t = t,
				    .piece = &b->list[i],
				    .filter = { .how = p->o->own,
						.piece = &b->list[i] },
				    .was = *t,
				    .skip = skip };
		const struct piece_visitor v = { &a, add_entry, drop };
		piece_visit(p, a.piece, &v);
		t->has_chosen = t->has_chosen || a.filter.has_chosen;
		grep_filter_end(&a.filter);
		buf_free(&a.line);
	}
}

void grep_text_free(struct grep_text *t)
{
	buf_free(&t->text);
	buf_free(&t->names);
	free(t->marks);
	*t = (struct grep_text){ 0 };
}

const struct grep_mark *grep_text_mark(const struct grep_text *t,
				       const struct grep_mark *from,
				       uint64_t line)
{
	const struct grep_mark *end = t->marks + t->n;
	const struct grep_mark *m = from ? from : t->marks;
	while (m + 1 < end && m[1].first <= line)
		m++;
	return m;
}

struct span grep_text_name(const struct grep_text *t, const struct grep_mark *m)
{
	return (struct span){ t->names.data + m->name, m->name_size };
}
