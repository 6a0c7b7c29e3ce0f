#include <errno.h>

#include "core/base/array.h"
#include "core/places/private.h"

void loaded_remove(struct place_list *list, const struct place *at)
{
	for (size_t i = 0; i < list->n; i++) {
		if (list->items[i] == at) {
			list->items[i] = list->items[--list->n];
			return;
		}
	}
}

/* Under the lock: the place without pins that was used longest ago, or NULL. */
static struct place *find_oldest(const struct place_list *list)
{
	struct place *oldest = NULL;
	for (size_t i = 0; i < list->n; i++) {
		struct place *at = list->items[i];
		if (at->state->pins == 0 &&
		    (!oldest || at->state->last_use < oldest->state->last_use))
			oldest = at;
	}
	return oldest;
}

static void evict_surplus(struct places *p)
{
	struct place_list *loaded = &p->state->loaded;
	struct place *at;
	do {
		struct session *s = NULL;
		pthread_rwlock_wrlock(&p->state->lock);
		at = loaded->n > p->state->keep ? find_oldest(loaded) : NULL;
		if (at) {
			s = at->session;
			session_remember(s, &at->state->memory);
			at->session = NULL;
			place_pin_unused(at);
			loaded_remove(loaded, at);
		}
		pthread_rwlock_unlock(&p->state->lock);
		session_free(s);
		if (at && p->unloaded)
			p->unloaded(p->unloaded_data, at);
		if (at)
			place_put(at);
	} while (at);
}

int loaded_read(struct place *at, const char **reason)
{
	struct places *p = at->places;
	struct session *s;
	struct session_opening how = p->opening;
	how.memory = &at->state->memory;
	int err = session_open(&s, at->path, &how, reason);
	if (err)
		return err;
	struct place_list *loaded = &p->state->loaded;
	pthread_rwlock_wrlock(&p->state->lock);
	err = at->state->is_removed
		      ? -ESTALE
		      : array_add(&loaded->items, &loaded->cap, &loaded->n, at);
	if (!err)
		__atomic_store_n(&at->session, s, __ATOMIC_RELEASE);
	pthread_rwlock_unlock(&p->state->lock);
	if (err)
		session_free(s);
	return err;
}

/* Read its session, if it is not in memory. */
static int load(struct place *at)
{
	const char *reason;
	int err = 0;
	if (!place_is_loaded(at)) {
		pthread_mutex_lock(&at->lock);
		if (!at->session)
			err = loaded_read(at, &reason);
		pthread_mutex_unlock(&at->lock);
		/* places.unloaded may lock another place's place.lock. */
		evict_surplus(at->places);
	}
	return err;
}

int place_enter(struct place *at)
{
	int err = load(at);
	if (!err)
		err = session_enter(at->session);
	if (!err && at->parent && !at->session->log.exists) {
		session_leave(at->session);
		err = -ENOENT;
	}
	/* The file was deleted, or no dialect claims it any more. */
	return err == -ENOENT || err == -EPROTO ? -ESTALE : err;
}

void place_leave(struct place *at)
{
	session_leave(at->session);
}

bool place_is_loaded(struct place *at)
{
	return __atomic_load_n(&at->session, __ATOMIC_ACQUIRE) != NULL;
}

struct place *places_next_loaded(struct places *p, uint32_t *number)
{
	struct place *found = NULL;
	pthread_rwlock_rdlock(&p->state->lock);
	struct numbers *numbers = &p->state->numbers;
	while (!found &&
	       (*number = numbers_next(numbers, *number)) < NUMBERS_LIMIT) {
		struct place *at = numbers_owner(numbers, *number);
		/* Not by its home. */
		if (at->epoch_number == *number && at->session)
			found = at;
	}
	if (found)
		place_pin_unused(found);
	pthread_rwlock_unlock(&p->state->lock);
	return found;
}
