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
	const struct index *x;
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

/* Is an entry so old that a newer orphan does not hang on it? */
static bool is_too_old(int64_t time, int64_t orphan)
{
	/* Unsigned, because the difference may be larger than an int64_t. */
	return (uint64_t)orphan - (uint64_t)time > BRIDGE_MS;
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
	if (forest_top(b->up, older) == orphan ||
	    is_too_old(b->x->entries[older].time, b->x->entries[orphan].time))
		return INDEX_NONE;
	return older;
}

static uint32_t hang(struct bridging *b, uint32_t orphan)
{
	uint32_t parent = find_parent(b, orphan);
	if (parent != INDEX_NONE)
		b->up[orphan] = parent;
	return parent;
}

/* Nothing takes over an orphan that hangs on an entry of its own time. */
static int note_loose(const struct bridging *b, struct index *x,
		      uint32_t orphan, uint32_t parent)
{
	int64_t time = x->entries[orphan].time;
	size_t at = first_at(b, time);
	x->hanging++;
	if (parent != INDEX_NONE && x->entries[parent].time == time)
		return 0;
	if (array_reserve(&x->loose, &x->cap_loose, x->n_loose, 1) < 0)
		return -ENOMEM;
	x->loose[x->n_loose++] = (struct loose_entry){
		.time = time,
		.after = at > 0 ? b->carriers[at - 1].time : INT64_MIN,
	};
	return 0;
}

static int hang_in_index(struct bridging *b, struct index *x, uint32_t orphan)
{
	struct entry *e = &x->entries[orphan];
	uint32_t parent = hang(b, orphan);
	int err = note_loose(b, x, orphan, parent);
	if (err || parent == INDEX_NONE)
		return err;
	e->parent = parent;
	e->orphan = false;
	e->bridged = true;
	x->orphans--;
	x->bridged++;
	return 0;
}

/* Begin without the entries that are `gone`, if any are. */
static int begin(struct bridging *b, const bool *gone)
{
	const struct index *x = b->x;
	b->carriers = malloc((x->n + 1) * sizeof(*b->carriers));
	b->up = malloc((x->n + 1) * sizeof(*b->up));
	b->run = malloc((x->n + 1) * sizeof(*b->run));
	if (!b->carriers || !b->up || !b->run)
		return -ENOMEM;
	for (uint32_t i = 0; i < x->n; i++) {
		const struct entry *e = &x->entries[i];
		bool is_root =
			e->parent == INDEX_NONE || (gone && gone[e->parent]);
		b->run[i] = i;
		b->up[i] = is_root ? i : e->parent;
		if (e->carries && !(gone && gone[i]))
			b->carriers[b->n++] = (struct carrier){ e->time, i };
	}
	qsort(b->carriers, b->n, sizeof(*b->carriers), by_time);
	return 0;
}

static void end(struct bridging *b)
{
	free(b->carriers);
	free(b->up);
	free(b->run);
}

static int loose_by_time(const void *a, const void *b)
{
	const struct loose_entry *c = a;
	const struct loose_entry *d = b;
	return c->time < d->time ? -1 : c->time > d->time;
}

int bridge_orphans(struct index *x)
{
	struct bridging b = { .x = x };
	int err = 0;
	if (x->orphans > 0)
		err = begin(&b, NULL);
	for (uint32_t i = x->n; i > 0 && x->orphans > 0 && !err; i--) {
		const struct entry *e = &x->entries[i - 1];
		if (e->orphan && e->hangs)
			err = hang_in_index(&b, x, i - 1);
	}
	if (x->n_loose > 1)
		qsort(x->loose, x->n_loose, sizeof(*x->loose), loose_by_time);
	end(&b);
	return err;
}

static bool is_loose_before(const void *list, size_t i, const void *time)
{
	return ((const struct loose_entry *)list)[i].time <
	       *(const int64_t *)time;
}

bool bridge_may_take(const struct index *x, int64_t time)
{
	size_t i = array_search(x->loose, x->n_loose, is_loose_before, &time);
	return i < x->n_loose && x->loose[i].after < time &&
	       !is_too_old(time, x->loose[i].time);
}

int bridge_without(const struct index *x, const bool *gone, uint32_t *parents)
{
	struct bridging b = { .x = x };
	int err = begin(&b, gone);
	for (uint32_t i = x->n; i > 0 && !err; i--) {
		const struct entry *e = &x->entries[i - 1];
		bool lost = e->parent != INDEX_NONE && gone[e->parent];
		parents[i - 1] = e->parent;
		if (lost && !gone[i - 1])
			parents[i - 1] =
				e->hangs ? hang(&b, i - 1) : INDEX_NONE;
	}
	end(&b);
	return err;
}
