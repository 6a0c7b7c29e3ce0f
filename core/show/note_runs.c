#include "core/show/note_runs.h"

#include "core/session/dialect.h"
#include "core/show/rows.h"

static bool is_branch_point(const struct index *x, uint32_t entry)
{
	unsigned n = 0;
	uint32_t i = INDEX_NONE;
	while (n < 2 && (i = bookkeeping_next_below(x, entry, i)) != INDEX_NONE)
		n += !x->entries[i].bookkeeping;
	return n > 1;
}

bool note_can_fold(const struct session *s, uint32_t entry, struct json line)
{
	return entry != session_head(s) && session_label(s, entry).n == 0 &&
	       !rows_is_said(s->dialect->showing, line) &&
	       !is_branch_point(&s->now.index, entry);
}

void note_run_add_kind(struct buf *out, uint32_t n)
{
	buf_addf(out, "%u notes", n);
}

int note_walk_begin(struct note_walk *w, const struct session *s)
{
	*w = (struct note_walk){ 0 };
	return tree_walk_begin(&w->tree, s, false);
}

static int read_step(struct note_walk *w, struct note_read *r)
{
	const struct session *s = w->tree.s;
	int got = tree_walk_next(&w->tree, &r->step);
	if (got <= 0)
		return got;
	int err = session_read(s, r->step.entry, &r->source, &r->line);
	if (err)
		return err;
	r->folds = note_can_fold(s, r->step.entry, r->line);
	return 1;
}

int note_walk_next(struct note_walk *w, struct note_row *row)
{
	struct note_read *first = &w->reads[w->at];
	int got = 1;
	if (w->has_next) {
		w->at ^= 1;
		first = &w->reads[w->at];
		w->has_next = false;
	} else {
		got = read_step(w, first);
	}
	if (got <= 0)
		return got;
	*row = (struct note_row){ .step = first->step,
				  .n = 1,
				  .last = first->step.entry,
				  .line = first->line };
	struct note_read *next = &w->reads[w->at ^ 1];
	uint32_t above = first->step.number;
	while (first->folds && (got = read_step(w, next)) > 0) {
		w->has_next = !next->folds || next->step.branch ||
			      next->step.parent != above;
		if (w->has_next)
			break;
		above = next->step.number;
		row->last = next->step.entry;
		row->n++;
	}
	return got < 0 ? got : 1;
}

void note_walk_end(struct note_walk *w)
{
	tree_walk_end(&w->tree);
	buf_free(&w->reads[0].source);
	buf_free(&w->reads[1].source);
	*w = (struct note_walk){ 0 };
}
