#include <errno.h>

#include "core/file/fault.h"
#include "core/places/private.h"

static bool is_unparked(const struct place *at)
{
	return __atomic_load_n(&at->state->is_unparked, __ATOMIC_ACQUIRE);
}

/* Under the lock. */
static void set_files(struct place *at, size_t files)
{
	struct places_state *p = at->places->state;
	size_t all = p->open_files + files - at->state->files;
	__atomic_store_n(&p->open_files, all, __ATOMIC_RELAXED);
	__atomic_store_n(&at->state->files, files, __ATOMIC_RELAXED);
}

/* `files`: how many it opens. */
static void set_unparked(struct place *at, bool unparked, size_t files)
{
	struct places_state *p = at->places->state;
	if (unparked)
		place_list_append(&p->unparked, at);
	else
		place_list_remove(&p->unparked, at);
	set_files(at, files);
	__atomic_store_n(&at->state->is_unparked, unparked, __ATOMIC_RELEASE);
}

/* The caller makes sure that nobody refreshes the session meanwhile. */
static size_t files_of(const struct session *s)
{
	return 1 + s->log.before.n;
}

void loaded_remove(struct place *at)
{
	place_list_remove(&at->places->state->loaded, at);
	set_unparked(at, false, 0);
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
		brlock_wrlock(&p->state->lock);
		struct place *at = evict_oldest(p->state, &s);
		brlock_wrunlock(&p->state->lock);
		if (!at)
			return;
		session_free(s);
		if (p->unloaded)
			p->unloaded(p->unloaded_data, at);
		place_put(at);
	}
}

/*
 * If the sessions have more than `most` files open, park the one that was used
 * longest ago. Returns false if none was parked.
 */
static bool park_oldest(struct places *p, size_t most)
{
	struct place *at = NULL;
	brlock_wrlock(&p->state->lock);
	if (p->state->open_files > most)
		at = place_list_oldest(&p->state->unparked);
	if (at) {
		place_pin_unused(at);
		set_unparked(at, false, 0);
	}
	brlock_wrunlock(&p->state->lock);
	if (!at)
		return false;
	/* A thread that enters it from here on waits in loaded_ensure(). */
	pthread_mutex_lock(&at->lock);
	if (!is_unparked(at))
		session_park(at->session);
	pthread_mutex_unlock(&at->lock);
	place_put(at);
	return true;
}

bool places_make_room(struct places *p, int err)
{
	return fault_is_shortage(err) && park_oldest(p, 0);
}

/* Let session_enter() open the file again. Counts as a use; needs at->lock. */
static int unpark(struct place *at)
{
	struct places_state *p = at->places->state;
	int err = 0;
	brlock_wrlock(&p->lock);
	if (at->state->is_removed)
		err = -ESTALE;
	else if (!is_unparked(at))
		err = place_list_reserve(&p->unparked);
	if (!err && !is_unparked(at))
		set_unparked(at, true, files_of(at->session));
	at->state->last_use = ++p->clock;
	brlock_wrunlock(&p->lock);
	return err;
}

void loaded_recount(struct place *at)
{
	struct places_state *p = at->places->state;
	size_t files = files_of(at->session);
	if (__atomic_load_n(&at->state->files, __ATOMIC_RELAXED) == files)
		return;
	brlock_wrlock(&p->lock);
	if (is_unparked(at))
		set_files(at, files);
	brlock_wrunlock(&p->lock);
}

/* Under the lock. */
static int add_loaded(struct place *at, struct session *s)
{
	struct places_state *p = at->places->state;
	if (at->state->is_removed)
		return -ESTALE;
	int err = place_list_reserve(&p->loaded);
	if (!err)
		err = place_list_reserve(&p->unparked);
	if (err)
		return err;
	place_list_append(&p->loaded, at);
	set_unparked(at, true, files_of(s));
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
	brlock_wrlock(&p->state->lock);
	err = add_loaded(at, s);
	brlock_wrunlock(&p->state->lock);
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
	const struct places_state *p = at->places->state;
	const char *reason;
	bool ready = place_is_loaded(at) && is_unparked(at);
	int err = 0;
	/* Lineages may have grown since their sessions were opened. */
	if (ready &&
	    __atomic_load_n(&p->open_files, __ATOMIC_RELAXED) <= p->keep_files)
		return 0;
	if (!ready) {
		pthread_mutex_lock(&at->lock);
		err = at->session ? unpark(at) : loaded_read(at, &reason);
		pthread_mutex_unlock(&at->lock);
	}
	/* Not under place.lock: places.unloaded may lock another place's. */
	evict_surplus(at->places);
	/* After an error the caller parks one, and tries again. */
	while (!err && park_oldest(at->places, p->keep_files))
		;
	return absence(err);
}

/* Open a session and enter it. */
static int enter_once(const struct place *at, const struct session_opening *how,
		      struct session **s)
{
	const char *reason;
	int err = session_open(s, at->path, how, &reason);
	if (err)
		return err;
	err = session_enter(*s);
	if (err)
		session_free(*s);
	return err;
}

int place_visit_once(struct place *at, const struct session_opening *how,
		     place_visit_fn *visit, void *data)
{
	struct session_opening once = *how;
	struct session *s;
	int err;
	once.read_only = true;
	once.progress = NULL;
	do
		err = enter_once(at, &once, &s);
	while (places_make_room(at->places, err));
	if (err)
		return absence(err);
	err = visit(data, s);
	session_leave(s);
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
	brlock_rdlock(&p->state->lock);
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
	brlock_rdunlock(&p->state->lock);
	return found;
}
