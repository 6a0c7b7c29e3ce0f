#include "mount/commands/rescue/joins.h"

#include <errno.h>
#include <stdlib.h>

#include "core/base/forest.h"
#include "core/json/timestamp.h"

struct place {
	uint32_t entry;
	uint32_t side;
	uint32_t line;
	int64_t time;
};

struct joining {
	const struct session *s;
	struct place *order; /* by side, time and line */
	uint32_t *place;     /* by entry: where in `order` */
	/*
	 * Two forests. The tree of an entry has all that is linked to it by
	 * parents and joins. The run of a place begins with the first of the
	 * places before it that are known to be in one tree, without a gap.
	 */
	uint32_t *tree;
	uint32_t *run;
};

static int compare(const void *a, const void *b)
{
	const struct place *x = a;
	const struct place *y = b;
	if (x->side != y->side)
		return x->side < y->side ? -1 : 1;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return (x->line > y->line) - (x->line < y->line);
}

static int by_line(const void *a, const void *b)
{
	const struct place *x = a;
	const struct place *y = b;
	return (x->line > y->line) - (x->line < y->line);
}

/* Entries without a time get that of the one before, or the first there is. */
static void fill_times(struct joining *g, int64_t *times, uint32_t n)
{
	int64_t time = TIMESTAMP_NONE;
	for (uint32_t i = 0; i < n && time == TIMESTAMP_NONE; i++)
		time = g->order[i].time;
	for (uint32_t i = 0; i < n; i++) {
		if (g->order[i].time != TIMESTAMP_NONE)
			time = g->order[i].time;
		g->order[i].time = time;
		times[g->order[i].entry] = time;
	}
}

static void sort_places(struct joining *g, int64_t *times,
			uint32_t (*side)(const struct session *, uint32_t))
{
	uint32_t n = g->s->now.index.n;
	for (uint32_t i = 0; i < n; i++) {
		const struct entry *e = session_entry(g->s, i);
		g->order[i] = (struct place){ i, side ? side(g->s, i) : 0,
					      e->line, e->time };
		g->tree[i] = e->parent == INDEX_NONE ? i : e->parent;
		g->run[i] = i;
	}
	qsort(g->order, n, sizeof(*g->order), by_line);
	fill_times(g, times, n);
	qsort(g->order, n, sizeof(*g->order), compare);
	for (uint32_t i = 0; i < n; i++)
		g->place[g->order[i].entry] = i;
}

/* The newest entry before a root that is in another tree, or INDEX_NONE. */
static uint32_t newest_before(struct joining *g, uint32_t root)
{
	uint32_t at = forest_top(g->run, g->place[root]);
	uint32_t side = g->order[at].side;
	while (at > 0 && g->order[at - 1].side == side) {
		uint32_t entry = g->order[at - 1].entry;
		if (forest_top(g->tree, entry) != root)
			return entry;
		g->run[at] = at - 1;
		at = forest_top(g->run, at);
	}
	return INDEX_NONE;
}

static void join_all(struct joining *g, struct joins *j)
{
	for (uint32_t i = 0; i < g->s->now.index.n; i++) {
		const struct entry *e = session_entry(g->s, i);
		j->to[i] = JOINS_NOT;
		if (!e->orphan && !e->cut)
			continue;
		j->to[i] = newest_before(g, i);
		if (j->to[i] != INDEX_NONE)
			g->tree[i] = j->to[i];
	}
}

int joins_find(struct joins *j, const struct session *s,
	       uint32_t (*side)(const struct session *s, uint32_t entry))
{
	size_t n = s->now.index.n ? s->now.index.n : 1;
	struct joining g = { .s = s };
	*j = (struct joins){ 0 };
	j->to = malloc(n * sizeof(*j->to));
	j->time = malloc(n * sizeof(*j->time));
	g.order = malloc(n * sizeof(*g.order));
	g.place = malloc(n * sizeof(*g.place));
	g.tree = malloc(n * sizeof(*g.tree));
	g.run = malloc(n * sizeof(*g.run));
	bool all = j->to && j->time && g.order && g.place && g.tree && g.run;
	if (all) {
		sort_places(&g, j->time, side);
		join_all(&g, j);
	}
	free(g.order);
	free(g.place);
	free(g.tree);
	free(g.run);
	return all ? 0 : -ENOMEM;
}

void joins_free(struct joins *j)
{
	free(j->to);
	free(j->time);
}
