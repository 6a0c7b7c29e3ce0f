#include <errno.h>
#include <stdlib.h>

#include "core/base/array.h"
#include "core/base/pathname.h"
#include "core/file/gate.h"
#include "core/file/nofollow.h"
#include "core/file/sidecar.h"
#include "core/places/private.h"
#include "core/session/dialect.h"

/* One allocation: a place and its private half. */
struct place_block {
	struct place place;
	struct place_state state;
};

char *place_path(const struct place *at, const char *file)
{
	struct buf path = { 0 };
	if (at->set)
		return strdup(file);
	if (at->is_folder)
		return pathname_join(at->path, file);
	const struct dialect *d = !at->parent && at->session
					  ? at->session->dialect
					  : at->state->dialect;
	const struct dialect_subagents *s = d ? d->subagents : NULL;
	if (s && s->add_folder &&
	    strncmp(file, s->folder, strlen(s->folder)) == 0) {
		s->add_folder(at->path, &path);
		file += strlen(s->folder);
	} else {
		sidecar_add_path(&path, at->path, "/");
	}
	buf_adds(&path, file);
	return buf_take(&path);
}

struct place *place_new(struct places *p, struct place *folder,
			const char *file, const char *name, bool is_folder)
{
	struct place_block *block = calloc(1, sizeof(*block));
	if (!block)
		return NULL;
	struct place *at = &block->place;
	at->places = p;
	at->state = &block->state;
	at->parent = folder;
	at->is_folder = is_folder;
	at->lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	at->state->base_lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	if (p->attachment.size > 0)
		at->attached = calloc(1, p->attachment.size);
	if (p->attachment.size > 0 && !at->attached) {
		free(block);
		return NULL;
	}
	at->path = folder ? place_path(folder, file) : strdup(file);
	at->mount_path = folder && folder->mount_path[0]
				 ? pathname_join(folder->mount_path, name)
				 : strdup(name);
	if (at->path && at->mount_path) {
		at->name = nofollow_name(at->mount_path);
		return at;
	}
	place_free(at);
	return NULL;
}

void place_free(struct place *at)
{
	const struct places *p = at->places;
	struct session *s = at->session;
	at->session = NULL;
	if (p->unloaded)
		p->unloaded(p->unloaded_data, at);
	session_free(s);
	if (at->attached && p->attachment.release)
		p->attachment.release(at->attached);
	free(at->attached);
	pthread_mutex_destroy(&at->lock);
	pthread_mutex_destroy(&at->state->base_lock);
	buf_free(&at->state->base_id);
	buf_free(&at->state->base_path);
	versions_free(&at->state->searched);
	free(at->state->children.items);
	free(at->state->by_name.items);
	free(at->path);
	free(at->mount_path);
	/* The block begins with it. */
	free(at);
}

void place_pin_unused(struct place *at)
{
	__atomic_add_fetch(&at->state->pins, 1, __ATOMIC_RELAXED);
}

void place_pin(struct place *at)
{
	struct places_state *p = at->places->state;
	uint64_t *last_use = &at->state->last_use;
	uint64_t now = __atomic_load_n(&p->clock, __ATOMIC_RELAXED);
	place_pin_unused(at);
	/* The place that was used last writes nothing that all threads read. */
	if (__atomic_load_n(last_use, __ATOMIC_RELAXED) == now)
		return;
	now = __atomic_add_fetch(&p->clock, 1, __ATOMIC_RELAXED);
	__atomic_store_n(last_use, now, __ATOMIC_RELAXED);
}

/* -- numbers */

void numbers_free(struct numbers *l)
{
	free(l->owners);
	*l = (struct numbers){ 0 };
}

int numbers_assign(struct numbers *l, struct place *owner, uint32_t *number)
{
	if (l->n == NUMBERS_LIMIT)
		return -ENFILE;
	while (numbers_owner(l, l->next))
		l->next = (l->next + 1) % NUMBERS_LIMIT;
	size_t cap = l->cap;
	int err = array_reserve(&l->owners, &l->cap, l->next, 1);
	for (; cap < l->cap; cap++)
		l->owners[cap] = NULL;
	if (err)
		return err;
	*number = l->next;
	l->owners[l->next] = owner;
	l->next = (l->next + 1) % NUMBERS_LIMIT;
	l->n++;
	return 0;
}

void numbers_release(struct numbers *l, uint32_t number)
{
	l->owners[number] = NULL;
	l->n--;
}

struct place *numbers_owner(const struct numbers *l, uint32_t number)
{
	return number < l->cap ? l->owners[number] : NULL;
}

uint32_t numbers_next(const struct numbers *l, uint32_t number)
{
	while (++number < l->cap) {
		if (l->owners[number])
			return number;
	}
	return NUMBERS_LIMIT;
}

/* The place with a number, pinned by `pin`; or NULL. */
static struct place *pin_numbered(struct places *p, uint32_t number,
				  void (*pin)(struct place *at))
{
	pthread_rwlock_rdlock(&p->state->lock);
	struct place *at = numbers_owner(&p->state->numbers, number);
	if (at)
		pin(at);
	pthread_rwlock_unlock(&p->state->lock);
	return at;
}

struct place *places_get(struct places *p, uint32_t number)
{
	return pin_numbered(p, number, place_pin);
}

struct place *places_peek(struct places *p, uint32_t number)
{
	return pin_numbered(p, number, place_pin_unused);
}

void place_put(struct place *at)
{
	struct place_state *state = at->state;
	pthread_rwlock_t *lock = &at->places->state->lock;
	pthread_rwlock_rdlock(lock);
	unsigned pins = __atomic_sub_fetch(&state->pins, 1, __ATOMIC_ACQ_REL);
	bool unused = pins == 0 && state->is_removed;
	pthread_rwlock_unlock(lock);
	if (unused)
		place_free(at);
}

/* Needs at->lock. */
static int assign_number(struct place *at, uint32_t epoch)
{
	struct places_state *p = at->places->state;
	uint32_t number = 0;
	int err = -ESTALE;
	pthread_rwlock_wrlock(&p->lock);
	if (!at->state->is_removed) {
		if (at->epoch_number != 0)
			numbers_release(&p->numbers, at->epoch_number);
		err = numbers_assign(&p->numbers, at, &number);
	}
	__atomic_store_n(&at->epoch_number, number, __ATOMIC_RELEASE);
	pthread_rwlock_unlock(&p->lock);
	/* Last: a thread that reads this epoch reads its number, too. */
	if (!err)
		__atomic_store_n(&at->state->epoch, epoch, __ATOMIC_RELEASE);
	return err;
}

static bool has_number(const struct place *at, uint32_t epoch)
{
	return __atomic_load_n(&at->state->epoch, __ATOMIC_ACQUIRE) == epoch &&
	       __atomic_load_n(&at->epoch_number, __ATOMIC_ACQUIRE) != 0;
}

int place_assign_number(struct place *at)
{
	uint32_t epoch = at->session->epoch;
	int err = 0;
	if (has_number(at, epoch))
		return 0;
	pthread_mutex_lock(&at->lock);
	if (!has_number(at, epoch))
		err = assign_number(at, epoch);
	pthread_mutex_unlock(&at->lock);
	return err;
}

int place_stat(struct place *at, struct stat *st)
{
	struct places *p = at->places;
	mode_t type = at->is_folder ? S_IFDIR : S_IFREG;
	if (at->set) {
		set_stat(at->set, p->opening.gate, st);
		return 0;
	}
	int err = nofollow_stat(p->opening.gate, at->path, st);
	if (!err && (st->st_mode & S_IFMT) != type)
		err = -ENOENT;
	if (!err && gate_has_acl(p->opening.gate, at->path))
		st->st_mode = gate_mode_beside_acl(st->st_mode);
	if (at == p->source) {
		pthread_rwlock_wrlock(&p->state->lock);
		if (err)
			*st = p->state->source_stat;
		else
			p->state->source_stat = *st;
		pthread_rwlock_unlock(&p->state->lock);
		return 0;
	}
	/* Nothing, or something of another type, is at the path. */
	return err == -ENOENT || err == -ENOTDIR || err == -ELOOP ? -ESTALE
								  : err;
}

/* -- sessions in memory */

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
