#include "mount/commands/grep/text.h"

#include <errno.h>
#include <stdlib.h>

#include "core/base/array.h"
#include "core/show/content.h"
#include "mount/commands/grep/filter.h"

#define TRIES 3

/* A piece that is being added. */
struct adding {
	struct grep_text *t;
	const struct piece *piece;
	const struct grep_options *how;
	struct grep_filter filter;
	bool filtering; /* the filter has begun with the session */
};

static int add_mark(const struct adding *a, const struct session *s,
		    uint32_t entry)
{
	struct grep_text *t = a->t;
	if (array_reserve(&t->marks, &t->cap, t->n, 1) < 0)
		return -ENOMEM;
	struct grep_mark *m = &t->marks[t->n];
	*m = (struct grep_mark){ .first = t->lines + 1,
				 .name = t->names.len,
				 .of = a->piece->of };
	index_add_name(&s->now.index, &t->names, entry);
	m->name_size = (uint32_t)(t->names.len - m->name);
	int err = buf_error(&t->names);
	t->n += !err;
	return err;
}

/* An entry that fails leaves nothing: the marks must fit the text. */
static int add_content(const struct adding *a, const struct session *s,
		       uint32_t entry)
{
	struct grep_text *t = a->t;
	size_t from = t->text.len;
	uint32_t lines = 0;
	int err = content_add_counted(s, entry, &t->text, &lines);
	if (!err && t->text.len == from)
		return 0;
	if (!err)
		err = add_mark(a, s, entry);
	if (err)
		t->text.len = from;
	else
		t->lines += lines;
	return err;
}

static int begin_filter(struct adding *a, const struct session *s)
{
	bool split = a->piece->to != INDEX_NONE;
	int err = grep_filter_begin(&a->filter, a->how, s,
				    split ? &a->piece->of->chosen : NULL);
	a->filtering = true;
	a->t->has_chosen = a->t->has_chosen || a->filter.has_chosen;
	return err;
}

static int add_entry(void *data, const struct session *s, uint32_t entry)
{
	struct adding *a = data;
	bool passes = false;
	int err = a->filtering ? 0 : begin_filter(a, s);
	if (!err)
		err = grep_filter_entry(&a->filter, s, entry, &passes);
	return err || !passes ? err : add_content(a, s, entry);
}

static void add_piece(struct grep_text *t, struct pieces *p,
		      const struct piece *piece)
{
	struct adding a = { .t = t, .piece = piece, .how = &p->o->grepping };
	const struct grep_text was = *t;
	int err = -ESTALE;
	for (int tries = 0; err == -ESTALE && tries < TRIES; tries++) {
		t->text.len = was.text.len;
		t->names.len = was.names.len;
		t->n = was.n;
		t->lines = was.lines;
		err = piece_visit(piece, add_entry, &a);
		grep_filter_end(&a.filter);
		a.filtering = false;
	}
	if (err)
		piece_fail(p, piece, err);
}

void grep_text_add(struct grep_text *t, struct pieces *p, const struct batch *b)
{
	for (size_t i = 0; i < b->n; i++)
		add_piece(t, p, &b->list[i]);
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
