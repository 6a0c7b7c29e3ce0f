#include "core/session/bridge.h"

#include <stdlib.h>

#include "core/base/array.h"
#include "core/session/older.h"

struct bridging {
	const struct index *x;
	/* The carriers. Of equally new ones the first in the file is last. */
	struct older older;
};

/* The first carrier that is as new as this time, or newer. */
static size_t first_at(const struct bridging *b, int64_t time)
{
	return older_search(&b->older, &(struct older_place){ .time = time });
}

/* Is an entry so old that a newer orphan does not hang on it? */
static bool is_too_old(int64_t time, int64_t orphan)
{
	/* Unsigned, because the difference may be larger than an int64_t. */
	return (uint64_t)orphan - (uint64_t)time > BRIDGE_MS;
}

/* Hang an orphan on an entry, if there is one. Returns it, or INDEX_NONE. */
static uint32_t hang(struct bridging *b, uint32_t orphan)
{
	int64_t time = b->x->entries[orphan].time;
	const struct older_place newest = { .entry = orphan,
					    .time = time,
					    .rank = UINT32_MAX };
	uint32_t parent = older_find(&b->older, &newest, time);
	size_t at = first_at(b, time);
	if (parent == INDEX_NONE && at > 0) {
		const struct older_place *older = &b->older.list[at - 1];
		if (!is_too_old(older->time, time) &&
		    !older_is_below(&b->older, older->entry, orphan))
			parent = older->entry;
	}
	if (parent != INDEX_NONE)
		b->older.tree[orphan] = parent;
	return parent;
}

static int hang_in_index(struct bridging *b, struct index *x, uint32_t orphan)
{
	struct entry *e = &x->entries[orphan];
	uint32_t parent = hang(b, orphan);
	int err = 0;
	x->hanging++;
	/* Nothing takes over one that hangs on an entry of its own time. */
	if (parent == INDEX_NONE || x->entries[parent].time != e->time) {
		size_t at = first_at(b, e->time);
		struct loose_entry loose = { e->time, INT64_MIN };
		if (at > 0)
			loose.after = b->older.list[at - 1].time;
		err = array_add(&x->loose, &x->cap_loose, &x->n_loose, loose);
	}
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
	int err = older_begin(&b->older, x->n);
	for (uint32_t i = 0; i < x->n && !err; i++) {
		const struct entry *e = &x->entries[i];
		bool is_root =
			e->parent == INDEX_NONE || (gone && gone[e->parent]);
		b->older.tree[i] = is_root ? i : e->parent;
		if (e->carries && !(gone && gone[i]))
			b->older.list[b->older.n++] =
				(struct older_place){ .entry = i,
						      .time = e->time,
						      .rank = INDEX_LIMIT - i };
	}
	if (!err)
		older_sort(&b->older);
	return err;
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
	bool begun = false;
	int err = 0;
	for (uint32_t i = x->n; i > 0 && x->orphans > 0 && !err; i--) {
		const struct entry *e = &x->entries[i - 1];
		if (!e->orphan || !e->hangs)
			continue;
		if (!begun)
			err = begin(&b, NULL);
		begun = true;
		if (!err)
			err = hang_in_index(&b, x, i - 1);
	}
	if (x->n_loose > 1)
		qsort(x->loose, x->n_loose, sizeof(*x->loose), loose_by_time);
	older_end(&b.older);
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
	older_end(&b.older);
	return err;
}
