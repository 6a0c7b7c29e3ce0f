#include "core/walk.h"

#include <errno.h>
#include <stdlib.h>

static bool push(struct walk *w, struct walk_step v)
{
	if (w->n == w->cap) {
		size_t cap = w->cap ? w->cap * 2 : 64;
		struct walk_step *stack =
			realloc(w->stack, cap * sizeof(*stack));
		if (!stack)
			return false;
		w->stack = stack;
		w->cap = cap;
	}
	w->stack[w->n++] = v;
	return true;
}

static int by_time(const void *a, const void *b, void *session)
{
	uint32_t x = *(const uint32_t *)a;
	uint32_t y = *(const uint32_t *)b;
	int64_t tx = session_entry(session, x)->time;
	int64_t ty = session_entry(session, y)->time;
	if (tx != ty)
		return tx < ty ? -1 : 1;
	return x < y ? -1 : 1;
}

/* The children of an entry (INDEX_NONE: the roots) in w->children. */
static int list_children(struct walk *w, uint32_t entry, size_t *n)
{
	const struct index *x = &w->s->now.index;
	*n = 0;
	for (uint32_t i = index_child_from(x, entry, 0); i != INDEX_NONE;
	     i = x->entries[i].next_sibling) {
		if (*n == w->children_cap) {
			size_t cap = w->children_cap ? *n * 2 : 16;
			uint32_t *list =
				realloc(w->children, cap * sizeof(*list));
			if (!list)
				return -ENOMEM;
			w->children = list;
			w->children_cap = cap;
		}
		w->children[(*n)++] = i;
	}
	if (*n > 1)
		qsort_r(w->children, *n, sizeof(*w->children), by_time,
			(void *)w->s);
	return 0;
}

/* Children are one step deeper at a branch, and once more just behind it. */
static int push_children(struct walk *w, const struct walk_step *parent)
{
	size_t n;
	int err = list_children(w, parent->entry, &n);
	bool deeper = n > 1 || (parent->branched && parent->indent > 0);
	for (size_t i = n; !err && i-- > 0;) {
		struct walk_step v = { .entry = w->children[i],
				       .parent = parent->number,
				       .indent = parent->indent + deeper,
				       .branched = n > 1,
				       .branch = n > 1,
				       .last = i + 1 == n };
		err = push(w, v) ? 0 : -ENOMEM;
	}
	return err;
}

/* Several roots are drawn at the margin, and what hangs on them indented. */
int walk_begin(struct walk *w, const struct session *s)
{
	size_t n;
	*w = (struct walk){ .s = s };
	int err = list_children(w, INDEX_NONE, &n);
	w->several_roots = n > 1;
	for (size_t i = n; !err && i-- > 0;) {
		struct walk_step v = { .entry = w->children[i],
				       .parent = WALK_NONE,
				       .indent = n > 1,
				       .branched = n > 1 };
		err = push(w, v) ? 0 : -ENOMEM;
	}
	return err;
}

int walk_next(struct walk *w, struct walk_step *step)
{
	if (w->n == 0)
		return 0;
	*step = w->stack[--w->n];
	step->number = w->number++;
	step->depth = step->indent - (w->several_roots && step->indent > 0);
	int err = push_children(w, step);
	return err ? err : 1;
}

void walk_end(struct walk *w)
{
	free(w->stack);
	free(w->children);
	*w = (struct walk){ 0 };
}
