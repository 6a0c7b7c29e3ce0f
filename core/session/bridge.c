#include "core/session/bridge.h"

#include <errno.h>
#include <stdlib.h>

#include "core/base/array.h"
#include "core/base/forest.h"

struct carrier {
	int64_t time;
	uint32_t entry;
};

struct bridging {
	struct index *x;
	struct carrier *carriers; /* by time, then by place */
	size_t n;
	/*
	 * Two forests. `up` has an ancestor of each entry, or itself for a
	 * root. `run` has, for a carrier, one after it up to which all are
	 * known to be of one tree and of one time, or itself.
	 */
	uint32_t *up;
	uint32_t *run;
};

static int by_time(const void *a, const void *b)
{
	const struct carrier *c = a;
	const struct carrier *d = b;
	if (c->time != d->time)
		return c->time < d->time ? -1 : 1;
	return c->entry < d->entry ? -1 : c->entry > d->entry;
}

static bool is_older(const void *list, size_t i, const void *time)
{
	return ((const struct carrier *)list)[i].time < *(const int64_t *)time;
}

/* The first carrier that is as new as this time, or newer. */
static size_t first_at(const struct bridging *b, int64_t time)
{
	return array_search(b->carriers, b->n, is_older, &time);
}

/* Is the carrier in the tree of this root? */
static bool is_below(struct bridging *b, size_t carrier, uint32_t root)
{
	return forest_top(b->up, b->carriers[carrier].entry) == root;
}

/* The first carrier of a time, from `at` on, that is not below the orphan. */
static uint32_t find_as_old(struct bridging *b, uint32_t orphan, size_t at)
{
	int64_t time = b->x->entries[orphan].time;
	while (at < b->n && b->carriers[at].time == time) {
		if (!is_below(b, at, orphan))
			return b->carriers[at].entry;
		uint32_t last = forest_top(b->run, (uint32_t)at);
		at = (size_t)last + 1;
		if (at < b->n && b->carriers[at].time == time &&
		    is_below(b, at, orphan))
			b->run[last] = last + 1;
	}
	return INDEX_NONE;
}

/* The entry that an orphan hangs on, or INDEX_NONE. */
static uint32_t find_parent(struct bridging *b, uint32_t orphan)
{
	size_t at = first_at(b, b->x->entries[orphan].time);
	uint32_t as_old = find_as_old(b, orphan, at);
	if (as_old != INDEX_NONE)
		return as_old;
	if (at == 0)
		return INDEX_NONE;
	uint32_t older =
		b->carriers[first_at(b, b->carriers[at - 1].time)].entry;
	return forest_top(b->up, older) == orphan ? INDEX_NONE : older;
}

static void hang(struct bridging *b, uint32_t orphan)
{
	struct entry *e = &b->x->entries[orphan];
	if (e->time > b->x->latest_loose)
		b->x->latest_loose = e->time;
	uint32_t parent = find_parent(b, orphan);
	if (parent == INDEX_NONE)
		return;
	e->parent = parent;
	e->orphan = false;
	e->bridged = true;
	b->x->orphans--;
	b->x->bridged++;
	b->up[orphan] = parent;
}

static int begin(struct bridging *b)
{
	const struct index *x = b->x;
	b->carriers = malloc((x->n + 1) * sizeof(*b->carriers));
	b->up = malloc((x->n + 1) * sizeof(*b->up));
	b->run = malloc((x->n + 1) * sizeof(*b->run));
	if (!b->carriers || !b->up || !b->run)
		return -ENOMEM;
	for (uint32_t i = 0; i < x->n; i++) {
		const struct entry *e = &x->entries[i];
		b->run[i] = i;
		b->up[i] = e->parent == INDEX_NONE ? i : e->parent;
		if (e->carries)
			b->carriers[b->n++] = (struct carrier){ e->time, i };
	}
	qsort(b->carriers, b->n, sizeof(*b->carriers), by_time);
	return 0;
}

int bridge_orphans(struct index *x)
{
	struct bridging b = { .x = x };
	int err = 0;
	if (x->orphans > 0)
		err = begin(&b);
	for (uint32_t i = x->n; i > 0 && x->orphans > 0 && !err; i--) {
		const struct entry *e = &x->entries[i - 1];
		if (e->orphan && e->hangs)
			hang(&b, i - 1);
	}
	free(b.carriers);
	free(b.up);
	free(b.run);
	return err;
}
