#include "mount/commands/grep/text.h"

#include <errno.h>
#include <stdlib.h>

#include "core/base/array.h"
#include "core/base/text.h"
#include "core/json/js.h"
#include "core/session/dialect.h"
#include "core/show/calls.h"
#include "core/show/content.h"
#include "core/show/rows.h"
#include "mount/commands/grep/options.h"

/*
 * A piece that is being added. An entry is searched if it passes all of
 * --agent, --entry, --subtree, --role and --tool that are given. The same tool
 * is called Bash by one agent and bash by another, so --tool and --role ignore
 * case.
 */
struct adding {
	struct grep_text *t;
	const struct piece *piece;
	const struct grep_options *how;
	struct grep_text was; /* before the piece */
	bool filtering;	      /* the members below are of the session */
	bool passes_agent;
	uint32_t entry;		    /* the only one; INDEX_NONE: none */
	const struct bits *subtree; /* the entries of --subtree */
	struct bits own;	    /* the same, unless they are shared */
	struct calls calls;	    /* with --tool: those that results answer */
};

static int add_subtree(struct bits *b, const struct index *x, uint32_t top)
{
	if (top == INDEX_NONE)
		return 0;
	int err = bits_add(b, top);
	for (uint32_t i = x->entries[top].first_child; i != INDEX_NONE && !err;
	     i = index_next_below(x, top, i, true))
		err = bits_add(b, i);
	return err;
}

/* Threads that do it at once add the same entries. */
static int share_subtree(struct chosen *c, const struct index *x, uint32_t top)
{
	if (__atomic_load_n(&c->known, __ATOMIC_ACQUIRE))
		return 0;
	int err = add_subtree(&c->entries, x, top);
	if (!err)
		__atomic_store_n(&c->known, true, __ATOMIC_RELEASE);
	return err;
}

/* A session that is split has its subtree found once. */
static int begin_filter(struct adding *a, const struct session *s)
{
	const struct grep_options *how = a->how;
	const struct index *x = &s->now.index;
	struct pieced *of = a->piece->of;
	bool split = a->piece->to != INDEX_NONE;
	a->filtering = true;
	if (how->tool)
		calls_begin(&a->calls, s);
	a->passes_agent = !how->dialect || how->dialect == s->dialect;
	a->entry = how->entry ? index_find_name(x, span_of(how->entry))
			      : INDEX_NONE;
	bool has_chosen = a->entry != INDEX_NONE;
	uint32_t top = INDEX_NONE;
	if (how->subtree) {
		top = index_find_name(x, span_of(how->subtree));
		has_chosen = top != INDEX_NONE && (!how->entry || has_chosen);
	}
	a->t->has_chosen = a->t->has_chosen || has_chosen;
	a->subtree = split ? &of->chosen.entries : &a->own;
	return split ? share_subtree(&of->chosen, x, top)
		     : add_subtree(&a->own, x, top);
}

static void end_filter(struct adding *a)
{
	bits_free(&a->own);
	calls_end(&a->calls);
	a->filtering = false;
}

static bool is_text(struct buf *text, const char *wanted)
{
	text_finish(text, 0);
	bool is = span_eq_any_case(buf_span(text), span_of(wanted));
	buf_clear(text);
	return is;
}

/* Is the block's name, of a call or a result, that of the tool? */
static bool names(const struct block *b, const char *tool, struct buf *scratch)
{
	js_to_string(scratch, b->name);
	return is_text(scratch, tool);
}

/* Does the result answer a call of the tool? 0 or -errno. */
static int answers(struct adding *a, uint32_t entry, const struct block *b,
		   struct buf *scratch, bool *yes)
{
	struct call call = { 0 };
	int err = 0;
	*yes = names(b, a->how->tool, scratch);
	json_decode(scratch, b->id);
	if (!*yes && scratch->len > 0)
		err = calls_find(&a->calls, entry, buf_span(scratch), &call);
	if (!err && call.name.n > 0)
		*yes = span_eq_any_case(call.name, span_of(a->how->tool));
	buf_clear(scratch);
	return err;
}

/* Has the entry a call of the tool, or a result? */
static int uses_tool(struct adding *a, const struct session *s, uint32_t entry,
		     struct json json, struct buf *scratch, bool *yes)
{
	const struct dialect_showing *d = s->dialect->showing;
	struct block_walk w = block_walk(d->read_block, rows_content(d, json));
	struct block b = { 0 };
	struct json raw;
	int err = 0;
	*yes = false;
	if (d->result)
		b = d->result(json);
	if (b.type == BLOCK_RESULT)
		err = answers(a, entry, &b, scratch, yes);
	while (!err && !*yes && block_next(&w, &b, &raw)) {
		if (b.type == BLOCK_CALL)
			*yes = names(&b, a->how->tool, scratch);
		else if (b.type == BLOCK_RESULT)
			err = answers(a, entry, &b, scratch, yes);
	}
	return err;
}

static int passes_filter(struct adding *a, const struct session *s,
			 uint32_t entry, bool *passes)
{
	const struct grep_options *how = a->how;
	*passes = a->passes_agent && (!how->entry || entry == a->entry) &&
		  (!how->subtree || bits_has(a->subtree, entry));
	if (!*passes || (!how->role && !how->tool))
		return 0;
	struct buf line = { 0 };
	struct buf scratch = { 0 };
	struct span text;
	struct json json;
	int err = session_peek(s, entry, &line, &text, &json);
	if (!err && how->role) {
		rows_add_role(s->dialect->showing, &scratch, json);
		*passes = is_text(&scratch, how->role);
	}
	if (!err && *passes && how->tool)
		err = uses_tool(a, s, entry, json, &scratch, passes);
	if (!err)
		err = buf_error(&scratch);
	buf_free(&line);
	buf_free(&scratch);
	return err;
}

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

static int add_entry(void *data, const struct session *s, uint32_t entry)
{
	struct adding *a = data;
	bool passes = false;
	int err = a->filtering ? 0 : begin_filter(a, s);
	if (!err)
		err = passes_filter(a, s, entry, &passes);
	return err || !passes ? err : add_content(a, s, entry);
}

static void drop(void *data)
{
	struct adding *a = data;
	a->t->text.len = a->was.text.len;
	a->t->names.len = a->was.names.len;
	a->t->n = a->was.n;
	a->t->lines = a->was.lines;
	end_filter(a);
}

void grep_text_add(struct grep_text *t, struct pieces *p, const struct batch *b)
{
	for (size_t i = 0; i < b->n; i++) {
		struct adding a = { .t = t,
				    .piece = &b->list[i],
				    .how = p->o->own,
				    .was = *t };
		const struct piece_visitor v = { &a, add_entry, drop };
		piece_visit(p, a.piece, &v);
		end_filter(&a);
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
