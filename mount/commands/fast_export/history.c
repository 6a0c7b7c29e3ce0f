#include "mount/commands/fast_export/fast_export.h"

#include <errno.h>
#include <stdlib.h>

#define SECONDS_MOST ((int64_t)UINT32_MAX)

int64_t history_seconds(int64_t ms)
{
	if (ms < 0)
		return 0;
	return ms / 1000 < SECONDS_MOST ? ms / 1000 : SECONDS_MOST;
}

/* Append an entry, whose parent has its place. */
static void add(struct history *h, const struct session *s, uint32_t entry)
{
	uint32_t parent = bookkeeping_shown_parent(&s->now.index, entry);
	int64_t date = history_seconds(session_entry(s, entry)->time);
	struct history_place place = { 1, entry, entry, date };
	if (parent != INDEX_NONE) {
		const struct history_place *up = &h->places[parent];
		place.number = up->number + 1;
		place.date = date > up->date ? date : up->date;
		if (h->places[up->branch].tip == parent)
			place.branch = up->branch;
	}
	h->places[entry] = place;
	h->places[place.branch].tip = entry;
	h->order[h->n++] = entry;
}

int history_begin(struct history *h, const struct session *s)
{
	const struct index *x = &s->now.index;
	const size_t n = (size_t)x->n + 1;
	uint32_t *above = malloc(n * sizeof(*above));
	*h = (struct history){
		.order = malloc(n * sizeof(*h->order)),
		.places = calloc(n, sizeof(*h->places)),
	};
	int err = above && h->order && h->places ? 0 : -ENOMEM;
	for (uint32_t i = 0; i < x->n && !err; i++) {
		uint32_t waiting = 0;
		uint32_t entry = x->entries[i].bookkeeping ? INDEX_NONE : i;
		/* A parent may come later in the file. */
		while (entry != INDEX_NONE && !h->places[entry].number) {
			above[waiting++] = entry;
			entry = bookkeeping_shown_parent(x, entry);
		}
		while (waiting > 0)
			add(h, s, above[--waiting]);
	}
	free(above);
	return err;
}

void history_end(struct history *h)
{
	free(h->order);
	free(h->places);
	*h = (struct history){ 0 };
}
