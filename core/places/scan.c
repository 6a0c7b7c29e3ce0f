#include <errno.h>

#include "core/base/array.h"
#include "core/file/gate.h"
#include "core/places/folder.h"
#include "core/places/private.h"
#include "core/places/set.h"

/* A scan of a folder. */
struct scan {
	struct place *folder;
	struct gate *gate;
	bool defers;
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

static bool name_before(const void *items, size_t i, const void *name)
{
	const struct folder_item *list = items;
	return strcmp(list[i].name, name) < 0;
}

/*
 * Check the session that a folder is beside: whether it shows the folder
 * depends on its lines.
 */
static int check_beside(const struct scan *s, const struct folder_item *item)
{
	const struct folder_list *list = &s->list;
	struct place *at;
	size_t i = array_search(list->items, list->n, name_before, item->file);
	if (i == list->n || strcmp(list->items[i].name, item->file) != 0)
		return 0;
	int err = child_lock(s->gate, s->folder, &list->items[i], &at);
	places_unlock(s->folder->places);
	return err;
}

/* An error of an item does not hide the others, but for these two. */
static int pass_over(const struct scan *s, int err)
{
	if (err == -ENOMEM || err == -ESTALE)
		return err;
	places_miss_after(s->folder->places, err);
	return 0;
}

static int scan_item(const struct scan *s, const struct folder_item *item)
{
	struct place *folder = s->folder;
	pthread_rwlock_t *lock = &folder->places->state->lock;
	int err = 0;
	if (s->defers && !folder->set && folder_item_is_beside(item))
		err = pass_over(s, check_beside(s, item));
	if (err)
		return err;
	/* Most items are as they were: the read side is enough for these. */
	pthread_rwlock_rdlock(lock);
	struct place *at = child_find(folder, span_of(item->name));
	bool current = at && child_is_current(folder, at, item);
	if (current)
		note_scan(at, s->number);
	pthread_rwlock_unlock(lock);
	if (current)
		return 0;
	if (s->defers && S_ISREG(item->st.st_mode))
		err = child_defer(folder, item, &at);
	else
		err = child_lock(s->gate, folder, item, &at);
	if (at)
		note_scan(at, s->number);
	places_unlock(folder->places);
	return pass_over(s, err);
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
	/* Which names it shows is known when all files were checked. */
	in->is_scanned = in->is_scanned || !s->defers;
	places_unlock(s->folder->places);
}

int scan_folder(struct place *folder, bool defers,
		struct compressed *compressed)
{
	struct places_state *p = folder->places->state;
	struct scan s = { .folder = folder,
			  .gate = gate_view(folder->places->opening.gate),
			  .defers = defers };
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
	if (!err && compressed)
		compressed_take(compressed, &s.list.compressed);
	folder_list_free(&s.list);
	gate_free(s.gate);
	return err == -ENOENT ? -ESTALE : err;
}

int place_scan(struct place *folder, struct compressed *compressed)
{
	return scan_folder(folder, false, compressed);
}
