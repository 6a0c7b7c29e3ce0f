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
