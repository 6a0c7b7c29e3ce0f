#include "core/places/walk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/places/private.h"

/* Pin a place that is pinned, or under the lock, and append it to a list. */
static int add_place(struct place_list *list, struct place *at)
{
	int err = place_list_append(list, at);
	if (!err)
		place_pin_unused(at);
	return err;
}

/* Under the lock: what is to be done with a place that was scanned. */
static int add_child(struct walk *w, struct place *at)
{
	if (!at->state->is_shown)
		return 0;
	return add_place(at->is_folder ? &w->waiting : &w->sessions, at);
}

static int add_children(struct walk *w, const struct place *folder)
{
	pthread_rwlock_t *lock = &folder->places->state->lock;
	const struct place_list *children = &folder->state->children;
	int err = 0;
	pthread_rwlock_rdlock(lock);
	for (size_t i = 0; i < children->n && !err; i++)
		err = add_child(w, children->items[i]);
	pthread_rwlock_unlock(lock);
	return err;
}

/* Scan a folder below `from`. Only a lack of memory ends the walk. */
static int visit(struct walk *w, struct place *folder)
{
	place_watch(folder);
	int err = place_scan(folder);
	if (!err)
		err = add_children(w, folder);
	places_miss_after(folder->places, err);
	return err == -ENOMEM ? err : 0;
}

int walk_start(struct walk *w)
{
	if (!w->from->is_folder)
		return add_place(&w->sessions, w->from);
	place_watch(w->from);
	int err = place_scan(w->from);
	if (!err)
		err = add_children(w, w->from);
	while (w->waiting.n > 0 && !err) {
		struct place *at = w->waiting.items[--w->waiting.n];
		err = visit(w, at);
		place_put(at);
	}
	return err;
}

struct place *walk_next(struct walk *w)
{
	if (w->next == w->sessions.n)
		return NULL;
	return w->sessions.items[w->next++];
}

void walk_end(struct walk *w)
{
	struct place *at;
	while ((at = walk_next(w)))
		place_put(at);
	while (w->waiting.n > 0)
		place_put(w->waiting.items[--w->waiting.n]);
	free(w->sessions.items);
	free(w->waiting.items);
	w->sessions = w->waiting = (struct place_list){ 0 };
	w->next = 0;
}
