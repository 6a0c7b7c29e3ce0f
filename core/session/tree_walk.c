#include "core/session/tree_walk.h"

#include <errno.h>
#include <stdlib.h>

#include "core/base/array.h"

/* Bookkeeping first, then by time. */
static int in_order(const void *a, const void *b, void *session)
{
	uint32_t x = *(const uint32_t *)a;
	uint32_t y = *(const uint32_t *)b;
	const struct entry *ex = session_entry(session, x);
	const struct entry *ey = session_entry(session, y);
	if (ex->bookkeeping != ey->bookkeeping)
		return ex->bookkeeping ? -1 : 1;
	if (ex->time != ey->time)
		return ex->time < ey->time ? -1 : 1;
	return x < y ? -1 : 1;
}

/*
 * Children are indented by one more at a branch, and by another one after it.
 * Bookkeeping is indented like an only child. If there are several roots, all
 * that is below them is indented.
 */
static int push_children(struct tree_walk *w, const struct tree_step *parent)
{
	const struct index *x = &w->s->now.index;
	uint32_t child = INDEX_NONE;
	size_t n = 0;
	size_t books = 0; /* of these, which are the first */
	int err = 0;
	while (!err && (child = bookkeeping_next_below(x, parent->entry,
						       child)) != INDEX_NONE) {
		if (x->entries[child].bookkeeping && !w->bookkeeping)
			continue;
		books += x->entries[child].bookkeeping;
		err = array_add(&w->children, &w->children_cap, &n, child);
	}
	if (n > 1)
		qsort_r(w->children, n, sizeof(*w->children), in_order,
			(void *)w->s);
	bool roots = parent->entry == INDEX_NONE;
	bool branch = n - books > 1;
	bool below_branch = parent->branched && parent->indent > 0;
	if (roots)
		w->several_roots = branch;
	for (size_t i = n; !err && i-- > 0;) {
		bool is_book = i < books;
		bool deeper = below_branch || (branch && (roots || !is_book));
		struct tree_step v = { .entry = w->children[i],
				       .parent = parent->number,
				       .bookkeeping = is_book,
				       .indent = parent->indent + deeper,
				       .branched = branch && !is_book,
				       .branch = branch && !is_book && !roots,
				       .last = i + 1 == n && !roots };
		err = array_add(&w->stack, &w->cap, &w->n, v);
	}
	return err;
}

int tree_walk_begin(struct tree_walk *w, const struct session *s,
		    bool bookkeeping)
{
	const struct tree_step above = { .entry = INDEX_NONE,
					 .number = TREE_STEP_NONE };
	*w = (struct tree_walk){ .s = s, .bookkeeping = bookkeeping };
	return push_children(w, &above);
}

int tree_walk_next(struct tree_walk *w, struct tree_step *step)
{
	if (w->n == 0)
		return 0;
	*step = w->stack[--w->n];
	step->number = w->number++;
	step->depth = step->indent - (w->several_roots && step->indent > 0);
	int err = step->bookkeeping ? 0 : push_children(w, step);
	return err ? err : 1;
}

void tree_walk_end(struct tree_walk *w)
{
	free(w->stack);
	free(w->children);
	*w = (struct tree_walk){ 0 };
}
