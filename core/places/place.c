#include <errno.h>
#include <stdlib.h>

#include "core/file/gate.h"
#include "core/file/nofollow.h"
#include "core/places/private.h"

/* One allocation: a place and its private half. */
struct place_block {
	struct place place;
	struct place_state state;
};

char *place_path(const struct place *at, const char *file)
{
	struct buf path = { 0 };
	struct span whole = span_of(at->path);
	struct span suffix = SPAN(".jsonl");
	if (!at->is_folder && span_ends(whole, suffix))
		whole.n -= suffix.n;
	buf_add(&path, whole);
	buf_addf(&path, "/%s", file);
	if (!buf_cstr(&path))
		buf_free(&path);
	return path.data;
}

static bool init_locks(struct place *at)
{
	if (pthread_mutex_init(&at->lock, NULL) != 0)
		return false;
	if (pthread_mutex_init(&at->state->base_lock, NULL) == 0)
		return true;
	pthread_mutex_destroy(&at->lock);
	return false;
}

static struct place *alloc_place(struct places *p)
{
	struct place_block *block = calloc(1, sizeof(*block));
	if (!block)
		return NULL;
	struct place *at = &block->place;
	at->places = p;
	at->state = &block->state;
	if (p->attachment.size > 0)
		at->attached = calloc(1, p->attachment.size);
	if ((p->attachment.size == 0 || at->attached) && init_locks(at))
		return at;
	free(at->attached);
	free(block);
	return NULL;
}

/* Set at->mount_path and at->name; false without memory. */
static bool set_mount_path(struct place *at, const char *name)
{
	struct buf path = { 0 };
	if (at->parent && at->parent->mount_path[0])
		buf_addf(&path, "%s/", at->parent->mount_path);
	size_t before = path.len;
	buf_adds(&path, name);
	if (!buf_cstr(&path)) {
		buf_free(&path);
		return false;
	}
	at->mount_path = path.data;
	at->name = at->mount_path + before;
	return true;
}

struct place *place_new(struct places *p, struct place *folder,
			const char *file, const char *name, bool is_folder)
{
	struct place *at = alloc_place(p);
	if (!at)
		return NULL;
	at->parent = folder;
	at->is_folder = is_folder;
	at->path = folder ? place_path(folder, file) : strdup(file);
	if (at->path && set_mount_path(at, name))
		return at;
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
	buf_free(&at->state->note);
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

int place_enter(struct place *at)
{
	int err = loaded_ensure(at);
	if (!err)
		err = session_enter(at->session);
	if (err)
		return err;
	if (at->parent && !at->session->log.exists) {
		session_leave(at->session);
		err = -ESTALE;
	}
	return err;
}

void place_leave(struct place *at)
{
	session_leave(at->session);
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

/* Keep SOURCE's attributes; after an error, return the last ones in *st. */
static void keep_source_stat(struct places_state *p, int err, struct stat *st)
{
	pthread_rwlock_wrlock(&p->lock);
	if (err)
		*st = p->source_stat;
	else
		p->source_stat = *st;
	pthread_rwlock_unlock(&p->lock);
}

/* Nothing, or something of another type, is at the path. */
static bool is_absence(int err)
{
	return err == -ENOENT || err == -ENOTDIR || err == -ELOOP;
}

int place_stat(struct place *at, struct stat *st)
{
	struct places *p = at->places;
	struct gate *gate = p->opening.gate;
	mode_t type = at->is_folder ? S_IFDIR : S_IFREG;
	int err = nofollow_stat(gate, at->path, st);
	if (!err && (st->st_mode & S_IFMT) != type)
		err = -ENOENT;
	if (!err && gate_has_acl(gate, at->path))
		st->st_mode &= ~(mode_t)S_IRWXG;
	if (at == p->source) {
		keep_source_stat(p->state, err, st);
		return 0;
	}
	return is_absence(err) ? -ESTALE : err;
}
