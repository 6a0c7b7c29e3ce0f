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
	const struct place_state *s = at->state;
	if (s->is_own) {
		struct place *owner =
			w->skips_subagents ? NULL : place_owner(at);
		return owner ? add_place(&w->waiting, owner) : 0;
	}
	if (w->defers && s->is_pending)
		return add_place(&w->sessions, at);
	if (!s->is_shown && !(s->is_forbidden && w->unread))
		return 0;
	bool is_session = !at->is_folder && !s->is_forbidden;
	return add_place(is_session ? &w->sessions : &w->waiting, at);
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

/* Let the folder of a session's subagents be scanned, if there is one. */
static int add_subagents(struct walk *w, struct place *owner, const char *name)
{
	struct place *found;
	int err = place_find_below(owner, name, &found);
	if (err)
		return err == -ENOENT ? -ESTALE : err;
	err = place_list_append(&w->waiting, found);
	if (err)
		place_put(found);
	return err;
}

/*
 * Scan a folder below `from`, look for the subagents of a session, or report a
 * file. Only a lack of memory ends the walk.
 */
static int visit(struct walk *w, struct place *at)
{
	const char *subagents = at->is_folder ? NULL : place_subagents(at);
	if (at->is_folder)
		place_watch(at);
	int err = at->is_folder ? scan_folder(at, w->defers, &w->compressed)
				: -EACCES;
	if (!err)
		err = add_children(w, at);
	if (subagents)
		err = add_subagents(w, at, subagents);
	if (!err || err == -ENOMEM)
		return err;
	places_miss_after(at->places, err);
	if (err != -ESTALE && w->unread)
		w->unread(w->unread_data, at, err);
	return 0;
}

static int by_mount_path(const void *a, const void *b)
{
	struct place *const *x = a;
	struct place *const *y = b;
	return strcmp((*x)->mount_path, (*y)->mount_path);
}

int walk_start(struct walk *w)
{
	if (!w->from->is_folder)
		return add_place(&w->sessions, w->from);
	place_watch(w->from);
	int err = scan_folder(w->from, w->defers, &w->compressed);
	if (!err)
		err = add_children(w, w->from);
	while (w->waiting.n > 0 && !err) {
		struct place *at = w->waiting.items[--w->waiting.n];
		err = visit(w, at);
		place_put(at);
	}
	if (w->sessions.n > 0)
		qsort(w->sessions.items, w->sessions.n,
		      sizeof(*w->sessions.items), by_mount_path);
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
	compressed_free(&w->compressed);
	w->sessions = w->waiting = (struct place_list){ 0 };
	w->next = 0;
}
