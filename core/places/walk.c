#include "core/places/walk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/places/private.h"

/* Under the lock: pin a place, and append it to the list that it belongs to. */
static int add_place(struct walk *w, struct place *at)
{
	bool is_session = !at->is_folder && !at->state->is_forbidden;
	struct place_list *list = is_session ? &w->sessions : &w->waiting;
	int err = place_list_append(list, at);
	if (!err)
		place_pin_unused(at);
	return err;
}

/* Is it one to be returned, scanned or reported? */
static bool is_wanted(const struct walk *w, const struct place *at)
{
	const struct place_state *s = at->state;
	return s->is_shown || (s->is_forbidden && w->unread);
}

/* Under the lock: a session that may have subagents, to look for them. */
static int add_owner(struct walk *w, const struct place *own)
{
	struct place *owner = place_owner(own);
	if (!owner || w->skips_subagents)
		return 0;
	int err = place_list_append(&w->owners, owner);
	if (!err)
		place_pin_unused(owner);
	return err;
}

static int add_children(struct walk *w, const struct place *folder)
{
	pthread_rwlock_t *lock = &folder->places->state->lock;
	const struct place_list *children = &folder->state->children;
	int err = 0;
	pthread_rwlock_rdlock(lock);
	for (size_t i = 0; i < children->n && !err; i++) {
		struct place *at = children->items[i];
		if (at->state->is_own)
			err = add_owner(w, at);
		else if (is_wanted(w, at))
			err = add_place(w, at);
	}
	pthread_rwlock_unlock(lock);
	return err;
}

/* Let the folder of a session's subagents be scanned, if there is one. */
static int add_subagents(struct walk *w, struct place *owner)
{
	const char *name = place_subagents(owner);
	struct place *found;
	int err = name ? place_find_below(owner, name, &found) : -ENOENT;
	if (!err) {
		err = place_list_append(&w->waiting, found);
		if (err)
			place_put(found);
	} else if (err != -ENOENT && err != -ESTALE && err != -ENOMEM &&
		   w->unread) {
		w->unread(w->unread_data, owner, err);
	}
	return err == -ENOMEM ? err : 0;
}

/*
 * Scan a folder below `from`, or report a file. Only a lack of memory ends the
 * walk.
 */
static int visit(struct walk *w, struct place *at)
{
	int err = at->is_folder ? place_scan(at, &w->compressed) : -EACCES;
	if (!err)
		err = add_children(w, at);
	if (!err || err == -ENOMEM)
		return err;
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
	pthread_rwlock_t *lock = &w->from->places->state->lock;
	if (!w->from->is_folder) {
		pthread_rwlock_rdlock(lock);
		int err = add_place(w, w->from);
		pthread_rwlock_unlock(lock);
		return err;
	}
	int err = place_scan(w->from, &w->compressed);
	if (!err)
		err = add_children(w, w->from);
	while ((w->waiting.n > 0 || w->owners.n > 0) && !err) {
		struct place_list *list =
			w->owners.n > 0 ? &w->owners : &w->waiting;
		struct place *at = list->items[--list->n];
		err = list == &w->owners ? add_subagents(w, at) : visit(w, at);
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
	while (w->owners.n > 0)
		place_put(w->owners.items[--w->owners.n]);
	free(w->sessions.items);
	free(w->waiting.items);
	free(w->owners.items);
	compressed_free(&w->compressed);
	w->sessions = w->waiting = w->owners = (struct place_list){ 0 };
	w->next = 0;
}
