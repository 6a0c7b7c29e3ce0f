#include "core/session/older.h"

#include <errno.h>
#include <stdlib.h>

#include "core/base/array.h"

/* The top above i. Shortens the way for later searches. */
static uint32_t top_of(uint32_t *forest, uint32_t i)
{
	while (forest[i] != i) {
		forest[i] = forest[forest[i]];
		i = forest[i];
	}
	return i;
}

static int in_order(const void *a, const void *b)
{
	const struct older_place *x = a;
	const struct older_place *y = b;
	if (x->side != y->side)
		return x->side < y->side ? -1 : 1;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return (x->rank > y->rank) - (x->rank < y->rank);
}

static bool is_before(const void *list, size_t i, const void *at)
{
	return in_order((const struct older_place *)list + i, at) < 0;
}

int older_begin(struct older *o, uint32_t entries)
{
	size_t n = (size_t)entries + 1;
	*o = (struct older){ .list = malloc(n * sizeof(*o->list)),
			     .tree = malloc(n * sizeof(*o->tree)),
			     .run = malloc(n * sizeof(*o->run)) };
	return o->list && o->tree && o->run ? 0 : -ENOMEM;
}

void older_sort(struct older *o)
{
	qsort(o->list, o->n, sizeof(*o->list), in_order);
	for (uint32_t i = 0; i < o->n; i++)
		o->run[i] = i;
}

void older_end(struct older *o)
{
	free(o->list);
	free(o->tree);
	free(o->run);
}

size_t older_search(const struct older *o, const struct older_place *at)
{
	return array_search(o->list, o->n, is_before, at);
}

bool older_is_below(struct older *o, uint32_t entry, uint32_t root)
{
	return top_of(o->tree, entry) == root;
}

uint32_t older_find(struct older *o, const struct older_place *root,
		    int64_t since)
{
	uint32_t at = (uint32_t)older_search(o, root);
	uint32_t passed = INDEX_NONE;
	while (at > 0 && o->list[at - 1].side == root->side &&
	       o->list[at - 1].time >= since) {
		uint32_t entry = o->list[at - 1].entry;
		if (!older_is_below(o, entry, root->entry))
			return entry;
		if (passed != INDEX_NONE)
			o->run[passed] = at - 1;
		passed = top_of(o->run, at - 1);
		at = passed;
	}
	return INDEX_NONE;
}
