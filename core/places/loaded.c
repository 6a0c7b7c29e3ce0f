#include <errno.h>

#include "core/places/private.h"
#include "core/session/detect.h"

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
			place_list_remove(loaded, at);
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
	pthread_rwlock_wrlock(&p->state->lock);
	err = at->state->is_removed ? -ESTALE
				    : place_list_append(&p->state->loaded, at);
	if (!err)
		__atomic_store_n(&at->session, s, __ATOMIC_RELEASE);
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

/*
 * A pending file of a version was opened as a session (s), or could not be. The
 * error if it is no session.
 */
static int settle(struct place *at, struct version version, int err,
		  const struct session *s)
{
	const struct dialect *claimed = NULL;
	bool is = !err && session_is_claimed(s, &claimed);
	if (!err || err == -EPROTO || err == -EACCES)
		place_settle(at, version, err == -EACCES ? err : is, claimed);
	return err || is ? err : -EPROTO;
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
	struct version version;
	bool pending = place_is_pending(at, &version);
	int err = load(at);
	if (!err)
		err = session_enter(at->session);
	bool entered = !err;
	if (pending)
		err = settle(at, version, err, at->session);
	if (!err && at->parent && !at->session->log.exists)
		err = -ENOENT;
	if (err && entered)
		session_leave(at->session);
	return absence(err);
}

void place_leave(struct place *at)
{
	session_leave(at->session);
}

int place_visit_once(struct place *at, const struct session_opening *how,
		     place_visit_fn *visit, void *data)
{
	struct session_opening once = *how;
	struct session *s = NULL;
	struct version version;
	const char *reason;
	bool pending = place_is_pending(at, &version);
	once.once = true;
	once.read_only = true;
	once.progress = NULL;
	int err = session_open(&s, at->path, &once, &reason);
	if (pending)
		err = settle(at, version, err, s);
	if (!err)
		err = session_enter(s);
	err = absence(err);
	if (!err) {
		err = visit(data, s);
		session_leave(s);
	}
	session_free(s);
	return err;
}

int place_is_session(struct place *at)
{
	struct places *p = at->places;
	struct version version;
	if (!at->parent)
		return 1;
	if (place_is_pending(at, &version)) {
		const struct dialect *d;
		int is = folder_has_session(p->opening.gate, at->path,
					    p->opening.dialects,
					    p->opening.forced, &d);
		if (is < 0 && is != -EACCES)
			return is;
		place_settle(at, version, is, d);
	}
	pthread_rwlock_rdlock(&p->state->lock);
	const struct place_state *s = at->state;
	int is = s->is_forbidden ? -EACCES : s->is_shown;
	pthread_rwlock_unlock(&p->state->lock);
	return is;
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
