#include <errno.h>

#include "core/places/private.h"

void loaded_remove(struct place *at)
{
	place_list_remove(&at->places->state->loaded, at);
}

/*
 * Under the lock: the place whose session was used longest ago, pinned, if too
 * many are in memory. *s was its session; the caller frees it.
 */
static struct place *evict_oldest(struct places_state *p, struct session **s)
{
	struct place *oldest = NULL;
	if (p->loaded.n > p->keep)
		oldest = place_list_oldest(&p->loaded);
	if (!oldest)
		return NULL;
	*s = oldest->session;
	session_remember(*s, &oldest->state->memory);
	oldest->session = NULL;
	place_pin_unused(oldest);
	loaded_remove(oldest);
	return oldest;
}

static void evict_surplus(struct places *p)
{
	struct session *s;
	for (;;) {
		pthread_rwlock_wrlock(&p->state->lock);
		struct place *at = evict_oldest(p->state, &s);
		pthread_rwlock_unlock(&p->state->lock);
		if (!at)
			return;
		session_free(s);
		if (p->unloaded)
			p->unloaded(p->unloaded_data, at);
		place_put(at);
	}
}

/* Under the lock. */
static int add_loaded(struct place *at, struct session *s)
{
	struct places_state *p = at->places->state;
	if (at->state->is_removed)
		return -ESTALE;
	int err = place_list_reserve(&p->loaded);
	if (err)
		return err;
	place_list_append(&p->loaded, at);
	__atomic_store_n(&at->session, s, __ATOMIC_RELEASE);
	return 0;
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
	pthread_rwlock_wrlock(&p->state->lock);
	err = add_loaded(at, s);
	pthread_rwlock_unlock(&p->state->lock);
	if (err)
		session_free(s);
	return err;
}

/* -ESTALE if the file was deleted, or no dialect claims it any more. */
static int absence(int err)
{
	return err == -ENOENT || err == -EPROTO ? -ESTALE : err;
}

int loaded_ensure(struct place *at)
{
	const char *reason;
	int err = 0;
	if (place_is_loaded(at))
		return 0;
	pthread_mutex_lock(&at->lock);
	if (!at->session)
		err = loaded_read(at, &reason);
	pthread_mutex_unlock(&at->lock);
	/* Not under place.lock: places.unloaded may lock another place's. */
	evict_surplus(at->places);
	return absence(err);
}

int place_visit_once(struct place *at, const struct session_opening *how,
		     place_visit_fn *visit, void *data)
{
	struct session_opening once = *how;
	struct session *s;
	const char *reason;
	once.read_only = true;
	once.progress = NULL;
	int err = session_open(&s, at->path, &once, &reason);
	if (err)
		return absence(err);
	err = absence(session_enter(s));
	if (!err) {
		err = visit(data, s);
		session_leave(s);
	}
	session_free(s);
	return err;
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
