#include "mount/commands/rescue/rescue.h"

#include <errno.h>
#include <stdlib.h>

#include "core/json/timestamp.h"
#include "core/session/older.h"

static int by_line(const void *a, const void *b)
{
	const struct older_place *x = a;
	const struct older_place *y = b;
	return (x->rank > y->rank) - (x->rank < y->rank);
}

/* Entries without a time get that of the one before, or the first there is. */
static void fill_times(struct older *o, int64_t *times)
{
	int64_t time = TIMESTAMP_NONE;
	for (size_t i = 0; i < o->n && time == TIMESTAMP_NONE; i++)
		time = o->list[i].time;
	for (size_t i = 0; i < o->n; i++) {
		if (o->list[i].time != TIMESTAMP_NONE)
			time = o->list[i].time;
		o->list[i].time = time;
		times[o->list[i].entry] = time;
	}
}

int joins_find(struct joins *j, const struct session *s,
	       uint32_t (*side)(const struct session *s, uint32_t entry))
{
	uint32_t n = s->now.index.n;
	struct older o;
	int err = older_begin(&o, n);
	j->to = malloc(((size_t)n + 1) * sizeof(*j->to));
	j->time = malloc(((size_t)n + 1) * sizeof(*j->time));
	if (!j->to || !j->time)
		err = -ENOMEM;
	for (; o.n < n && !err; o.n++) {
		uint32_t i = (uint32_t)o.n;
		const struct entry *e = session_entry(s, i);
		o.list[i] = (struct older_place){ i, side ? side(s, i) : 0,
						  e->time, e->line };
		o.tree[i] = e->parent == INDEX_NONE ? i : e->parent;
	}
	if (!err) {
		qsort(o.list, n, sizeof(*o.list), by_line);
		fill_times(&o, j->time);
		older_sort(&o);
	}
	for (uint32_t i = 0; i < n && !err; i++) {
		const struct entry *e = session_entry(s, i);
		const struct older_place root = { i, side ? side(s, i) : 0,
						  j->time[i], e->line };
		j->to[i] = JOINS_NOT;
		if (!e->orphan && !e->cut)
			continue;
		j->to[i] = older_find(&o, &root, INT64_MIN);
		if (j->to[i] != INDEX_NONE)
			o.tree[i] = j->to[i];
	}
	older_end(&o);
	return err;
}

void joins_free(struct joins *j)
{
	free(j->to);
	free(j->time);
}
