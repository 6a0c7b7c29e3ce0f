#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/file/gate.h"
#include "core/file/nofollow.h"
#include "core/places/folder.h"
#include "core/places/private.h"
#include "core/places/set.h"
#include "core/session/dialect.h"

/* There is room for it. */
static void insert(struct place_list *list, size_t i, struct place *at)
{
	memmove(list->items + i + 1, list->items + i,
		(list->n - i) * sizeof(*list->items));
	list->items[i] = at;
	list->n++;
}

static void take_out(struct place_list *list, size_t i)
{
	list->n--;
	memmove(list->items + i, list->items + i + 1,
		(list->n - i) * sizeof(*list->items));
}

static bool name_before(const void *items, size_t i, const void *name)
{
	struct place *const *list = items;
	return span_compare(span_of(list[i]->name),
			    *(const struct span *)name) < 0;
}

/* The index in `by_name` where a name is, or belongs. */
static size_t name_index(const struct place *folder, struct span name)
{
	const struct place_list *list = &folder->state->by_name;
	return array_search(list->items, list->n, name_before, &name);
}

/* Under either side of the lock: the place with a name in a folder, or NULL. */
static struct place *child_find(const struct place *folder, struct span name)
{
	const struct place_list *list = &folder->state->by_name;
	size_t i = name_index(folder, name);
	if (i < list->n && span_eq(span_of(list->items[i]->name), name))
		return list->items[i];
	return NULL;
}

static bool serial_before(const void *items, size_t i, const void *from)
{
	struct place *const *list = items;
	return list[i]->serial < *(const uint64_t *)from;
}

/* The index in `children` of the first serial number from `from` on. */
static size_t serial_index(const struct place *folder, uint64_t from)
{
	const struct place_list *list = &folder->state->children;
	return array_search(list->items, list->n, serial_before, &from);
}

/* A new place in its folder, or NULL without memory. */
static struct place *add_child(struct place *folder,
			       const struct folder_item *item)
{
	struct place_state *in = folder->state;
	if (array_reserve(&in->children.items, &in->children.cap,
			  in->children.n, 1) < 0 ||
	    array_reserve(&in->by_name.items, &in->by_name.cap, in->by_name.n,
			  1) < 0)
		return NULL;
	struct place *at = place_new(folder->places, folder, item->file,
				     item->name, S_ISDIR(item->st.st_mode));
	if (!at)
		return NULL;
	at->serial = ++folder->places->state->serials;
	insert(&in->children, in->children.n, at);
	insert(&in->by_name, name_index(folder, span_of(at->name)), at);
	return at;
}

/* A folder shows a name more, or less. */
static void count_change(struct place *folder)
{
	if (folder->state->is_scanned)
		__atomic_fetch_add(&folder->changes, 1, __ATOMIC_RELAXED);
}

/* Remove a place without children from all tables. */
static void remove_leaf(struct place *at)
{
	struct places_state *p = at->places->state;
	struct place_state *in = at->parent->state;
	take_out(&in->children, serial_index(at->parent, at->serial));
	take_out(&in->by_name, name_index(at->parent, span_of(at->name)));
	if (at->home != 0)
		numbers_release(&p->numbers, at->home);
	if (at->epoch_number != 0)
		numbers_release(&p->numbers, at->epoch_number);
	loaded_remove(&p->loaded, at);
	if (at->state->is_shown)
		count_change(at->parent);
	at->state->is_removed = true;
	if (at->state->pins == 0) {
		at->state->next_removed = p->removed;
		p->removed = at;
	}
}

void children_clear(struct place *folder)
{
	while (folder->state->children.n > 0) {
		struct place *at = folder;
		while (at->state->children.n > 0)
			at = at->state->children
				     .items[at->state->children.n - 1];
		remove_leaf(at);
	}
}

/* Under the lock: remove a place and all below it. */
static void child_remove(struct place *at)
{
	children_clear(at);
	remove_leaf(at);
}

/* Under either side of the lock. */
static const char *subagents_of(const struct place *at)
{
	const struct dialect *d = at->state->dialect;
	return d && d->subagents ? d->subagents->folder : NULL;
}

static int find_item(const struct place *in, struct span name,
		     struct folder_item *item)
{
	struct gate *g = in->places->opening.gate;
	return in->set ? set_find(in->set, g, name, item)
		       : folder_find(g, in->path, name, item);
}

/* Is it a folder beside a session of its name, whose file that is? */
static bool is_beside(const struct place *folder, const struct folder_item *i)
{
	return !folder->set && folder_item_is_beside(i);
}

/* Does a session beside the folder `item` show what is in it? */
static bool is_own_folder(const struct place *folder,
			  const struct folder_item *item)
{
	if (!is_beside(folder, item))
		return false;
	const struct place *session = child_find(folder, span_of(item->file));
	return session && session->state->is_shown &&
	       subagents_of(session) != NULL;
}

/* Under either side of the lock: is the item as it was when it was checked? */
static bool child_is_current(const struct place *folder, const struct place *at,
			     const struct folder_item *item)
{
	if (at->is_folder || S_ISDIR(item->st.st_mode))
		/* A folder is not shown if there was no number for it. */
		return at->is_folder && S_ISDIR(item->st.st_mode) &&
		       at->state->is_own == is_own_folder(folder, item) &&
		       at->state->is_shown != at->state->is_own;
	return version_eq(at->state->checked, version_of_stat(&item->st));
}

/*
 * 1 for a folder, and a session by its lines; 0 for others; -EACCES for a file
 * without read permission; or another -errno.
 */
static int check_item(struct gate *g, const struct place *folder,
		      const struct folder_item *item,
		      const struct dialect **dialect)
{
	const struct session_opening *how = &folder->places->opening;
	*dialect = NULL;
	if (S_ISDIR(item->st.st_mode))
		return 1;
	char *path = place_path(folder, item->file);
	if (!path)
		return -ENOMEM;
	int is_session = folder_has_session(g, path, how->dialects, how->forced,
					    dialect);
	free(path);
	return is_session;
}

/* Under the lock: the place of an item, of its type. 0 or -errno. */
static int make_child(struct place *folder, const struct folder_item *item,
		      struct place **out)
{
	struct place *at = child_find(folder, span_of(item->name));
	*out = NULL;
	if (folder->state->is_removed)
		return -ESTALE;
	if (at && at->is_folder != (bool)S_ISDIR(item->st.st_mode)) {
		child_remove(at);
		at = NULL;
	}
	if (!at)
		at = add_child(folder, item);
	*out = at;
	return at ? 0 : -ENOMEM;
}

/* Under the lock: the result of check_item() for the version of a file. */
static int set_checked(struct place *at, struct version version, bool is_own,
		       int checked, const struct dialect *dialect)
{
	struct places_state *p = at->places->state;
	bool is_shown = checked == 1 && !is_own;
	int err = 0;
	if (is_shown && at->home == 0)
		err = numbers_assign(&p->numbers, at, &at->home);
	if (err)
		return err;
	if (is_own)
		children_clear(at);
	if (is_shown != at->state->is_shown)
		count_change(at->parent);
	at->state->checked = version;
	at->state->dialect = dialect;
	at->state->is_own = is_own;
	at->state->is_shown = is_shown;
	return 0;
}

/*
 * The place of an item, up to date: its file is checked if it has changed. The
 * lock's write side is held on return. On an error *out is the place as it was
 * before, or NULL.
 */
static int child_lock(struct gate *g, struct place *folder,
		      const struct folder_item *item, struct place **out)
{
	pthread_rwlock_t *lock = &folder->places->state->lock;
	pthread_rwlock_wrlock(lock);
	*out = child_find(folder, span_of(item->name));
	if (*out && child_is_current(folder, *out, item))
		return 0;
	pthread_rwlock_unlock(lock);
	const struct dialect *dialect;
	int checked = check_item(g, folder, item, &dialect);
	pthread_rwlock_wrlock(lock);
	if (checked < 0 && checked != -EACCES) {
		*out = child_find(folder, span_of(item->name));
		return checked;
	}
	int err = make_child(folder, item, out);
	if (!err)
		err = set_checked(*out, version_of_stat(&item->st),
				  is_own_folder(folder, item), checked,
				  dialect);
	if (err)
		*out = NULL;
	return err;
}

static void remove_named(struct place *folder, struct span name)
{
	struct places *p = folder->places;
	pthread_rwlock_wrlock(&p->state->lock);
	struct place *at = child_find(folder, name);
	if (at)
		child_remove(at);
	places_unlock(p);
}

/* The place of an item, pinned, if it is shown. */
static int pin_item(struct place *folder, const struct folder_item *item,
		    struct place **found)
{
	struct place *at;
	struct gate *g = folder->places->opening.gate;
	int err = child_lock(g, folder, item, &at);
	if (!err && !at->state->is_shown)
		err = -ENOENT;
	if (!err)
		place_pin(at);
	places_unlock(folder->places);
	if (!err)
		*found = at;
	return err;
}

/* Whether a folder is shown depends on the session beside it. */
static int check_beside(struct place *folder, const struct folder_item *item)
{
	struct gate *g = folder->places->opening.gate;
	struct folder_item session;
	struct place *at;
	if (!is_beside(folder, item))
		return 0;
	int err = find_item(folder, span_of(item->file), &session);
	if (err)
		return err == -ENOENT ? 0 : err;
	err = child_lock(g, folder, &session, &at);
	places_unlock(folder->places);
	folder_item_free(&session);
	return err == -ENOMEM || err == -ESTALE ? err : 0;
}

int place_find(struct place *folder, struct span name, struct place **found)
{
	struct folder_item item;
	int err = find_item(folder, name, &item);
	if (err == -ENOENT)
		remove_named(folder, name);
	if (err)
		return err;
	err = check_beside(folder, &item);
	if (!err)
		err = pin_item(folder, &item, found);
	folder_item_free(&item);
	return err;
}

int place_find_below(struct place *at, const char *name, struct place **found)
{
	char *path = place_path(at, name);
	struct folder_item item = { .name = strdup(name),
				    .file = strdup(name) };
	int err = -ENOMEM;
	if (path && item.name && item.file)
		err = nofollow_stat(at->places->opening.gate, path, &item.st);
	free(path);
	if (err == -ENOTDIR || err == -ELOOP ||
	    (!err && !S_ISDIR(item.st.st_mode)))
		err = -ENOENT;
	if (err == -ENOENT)
		remove_named(at, span_of(name));
	if (!err)
		err = pin_item(at, &item, found);
	folder_item_free(&item);
	return err;
}

const char *place_subagents(struct place *at)
{
	pthread_rwlock_t *lock = &at->places->state->lock;
	pthread_rwlock_rdlock(lock);
	const char *name = subagents_of(at);
	pthread_rwlock_unlock(lock);
	return name;
}

struct place *place_next_child(struct place *folder, uint64_t from)
{
	pthread_rwlock_t *lock = &folder->places->state->lock;
	const struct place_list *list = &folder->state->children;
	struct place *at = NULL;
	pthread_rwlock_rdlock(lock);
	size_t i = serial_index(folder, from);
	while (i < list->n && !list->items[i]->state->is_shown)
		i++;
	if (i < list->n) {
		at = list->items[i];
		place_pin(at);
	}
	pthread_rwlock_unlock(lock);
	return at;
}

struct place *place_parent(struct place *at)
{
	pthread_rwlock_t *lock = &at->places->state->lock;
	struct place *parent = NULL;
	pthread_rwlock_rdlock(lock);
	if (!at->state->is_removed)
		parent = at->parent;
	if (parent)
		place_pin(parent);
	pthread_rwlock_unlock(lock);
	return parent;
}

/* -- scans */

struct scan {
	struct place *folder;
	struct gate *gate;
	uint64_t number; /* of the scan */
	struct folder_list list;
};

/* Under either side of the lock. */
static void note_scan(struct place *at, uint64_t scan)
{
	uint64_t *last = &at->state->last_scan;
	uint64_t was = __atomic_load_n(last, __ATOMIC_RELAXED);
	while (was < scan &&
	       !__atomic_compare_exchange_n(last, &was, scan, false,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

static int scan_item(const struct scan *s, const struct folder_item *item)
{
	struct place *folder = s->folder;
	pthread_rwlock_t *lock = &folder->places->state->lock;
	/* Most items are as they were: the read side is enough for these. */
	pthread_rwlock_rdlock(lock);
	struct place *at = child_find(folder, span_of(item->name));
	bool current = at && child_is_current(folder, at, item);
	if (current)
		note_scan(at, s->number);
	pthread_rwlock_unlock(lock);
	if (current)
		return 0;
	int err = child_lock(s->gate, folder, item, &at);
	if (at)
		note_scan(at, s->number);
	places_unlock(folder->places);
	/* An error of an item does not hide the others, but for these two. */
	if (err == -ENOMEM || err == -ESTALE)
		return err;
	places_miss_after(folder->places, err);
	return 0;
}

/* Remove the places that are older than the scan and were not found. */
static void remove_others(const struct scan *s)
{
	struct place_state *in = s->folder->state;
	pthread_rwlock_wrlock(&s->folder->places->state->lock);
	const struct place_list *all = &in->children;
	for (size_t i = s->list.partial ? 0 : all->n; i-- > 0;) {
		struct place *at = all->items[i];
		if (at->state->last_scan < s->number && at->serial <= s->number)
			child_remove(at);
	}
	in->is_scanned = true;
	places_unlock(s->folder->places);
}

int place_scan(struct place *folder)
{
	struct places_state *p = folder->places->state;
	struct scan s = { .folder = folder,
			  .gate = gate_view(folder->places->opening.gate) };
	if (!s.gate)
		return -ENOMEM;
	pthread_rwlock_wrlock(&p->lock);
	/* Places that are made from here on have higher serial numbers. */
	s.number = ++p->serials;
	pthread_rwlock_unlock(&p->lock);
	int err = folder->set ? set_read(folder->set, s.gate, &s.list)
			      : folder_read(s.gate, folder->path, &s.list);
	for (size_t i = 0; i < s.list.n && !err; i++)
		err = scan_item(&s, &s.list.items[i]);
	if (s.list.partial)
		places_miss(folder->places);
	if (!err)
		remove_others(&s);
	folder_list_free(&s.list);
	gate_free(s.gate);
	return err == -ENOENT ? -ESTALE : err;
}
