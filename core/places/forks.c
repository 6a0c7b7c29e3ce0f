#include "core/places/forks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/pathname.h"
#include "core/file/fault.h"
#include "core/file/gate.h"
#include "core/places/private.h"
#include "core/places/walk.h"
#include "core/session/dialect.h"

static const struct span suffix = SPAN(".jsonl");

/* SOURCE itself is in no scan. */
const struct dialect *place_dialect(const struct place *at)
{
	if (!at->parent && !at->is_folder)
		return at->session->dialect;
	return at->state->dialect;
}

/* Lines are appended, and the first one stays. */
static bool is_base_current(const struct place *at, struct version now)
{
	const struct place_state *s = at->state;
	if (!s->has_read_base)
		return false;
	if (s->base_id.len == 0)
		return version_eq(s->based, now);
	return version_same_file(s->based, now) && s->based.size <= now.size;
}

/*
 * Read the id of a session's base: 0, and *id is empty if it has none; or an
 * error that says nothing of the file.
 */
static int read_base_id(struct place *at, const struct dialect *d,
			struct buf *id)
{
	struct log log;
	int err = log_open(&log, at->places->opening.gate, at->path);
	if (!err)
		err = d->bases->base_id(&log, id);
	log_close(&log);
	for (size_t i = 0; i < id->len; i++)
		id->data[i] = span_lower(id->data[i]);
	return err < 0 ? err : buf_error(id);
}

/* Is it an error of the session that has asked, not of what was asked for? */
static bool is_own_error(int err)
{
	return err == -ENOMEM || fault_is_shortage(err);
}

/* Under the lock: the index lists another set of forks than before. */
static void note_change(struct fork_index *x)
{
	x->is_current = false;
	if (x->is_complete)
		__atomic_fetch_add(&x->changes, 1, __ATOMIC_RELAXED);
}

void forks_forget(const struct place *at)
{
	if (at->state->base_id.len > 0)
		note_change(&at->places->state->forks);
	at->places->state->forks.is_current = false;
}

/* Forget a base that is another one now. Needs base_lock. */
static void set_base_id(struct place *at, struct buf id, struct version version,
			bool has_read)
{
	struct places_state *p = at->places->state;
	struct place_state *s = at->state;
	pthread_rwlock_wrlock(&p->lock);
	struct buf old = s->base_id;
	if (!span_eq(buf_span(&old), buf_span(&id)))
		note_change(&p->forks);
	s->base_id = id;
	pthread_rwlock_unlock(&p->lock);
	buf_free(&old);
	buf_reset(&s->base_path);
	versions_free(&s->searched);
	s->based = version;
	s->has_read_base = has_read;
}

/* Make sure that state.base_id is current. Needs base_lock. */
static int update_base_id(struct place *at)
{
	pthread_rwlock_t *lock = &at->places->state->lock;
	pthread_rwlock_rdlock(lock);
	const struct dialect *d = place_dialect(at);
	struct version version =
		at->parent ? at->state->checked
			   : version_of_stat(&at->session->log.st);
	pthread_rwlock_unlock(lock);
	if (!d || !d->bases) {
		/* It may have been of another dialect before. */
		if (at->state->has_read_base)
			set_base_id(at, (struct buf){ 0 }, version, false);
		return 0;
	}
	if (is_base_current(at, version))
		return 0;
	struct buf id = { 0 };
	int err = read_base_id(at, d, &id);
	if (err)
		buf_free(&id);
	if (is_own_error(err))
		return err;
	set_base_id(at, id, version, !err);
	return 0;
}

/* Look for the file of the base, and keep its path. Needs base_lock. */
static int search_base(struct place *at, const struct dialect *d)
{
	struct place_state *s = at->state;
	const struct session_opening *opening = &at->places->opening;
	const struct finding how = { opening->names, &s->searched,
				     opening->gate };
	buf_reset(&s->base_path);
	versions_free(&s->searched);
	int found = d->bases->find_file(at->path, buf_span(&s->base_id), &how,
					&s->base_path);
	if (found <= 0)
		buf_reset(&s->base_path);
	/* It is looked for again next time. */
	if (found != 0)
		versions_free(&s->searched);
	if (found > 0 && !buf_cstr(&s->base_path))
		found = -ENOMEM;
	return is_own_error(found) ? found : found > 0 ? 0 : -ENOENT;
}

/* Make sure that state.base_path is current: 0, or -ENOENT if there is none. */
static int update_base_path(struct place *at, const struct dialect *d)
{
	struct place_state *s = at->state;
	struct stat st;
	if (!d || !d->bases || s->base_id.len == 0)
		return -ENOENT;
	bool there = s->base_path.len > 0 &&
		     gate_stat(at->places->opening.gate, s->base_path.data,
			       &st) == 0 &&
		     S_ISREG(st.st_mode);
	if (!there && s->searched.n > 0 && !versions_have_changed(&s->searched))
		return -ENOENT;
	int err = there ? 0 : search_base(at, d);
	bool own = !err && strcmp(s->base_path.data, at->path) == 0;
	return own ? -ENOENT : err;
}

static const struct dialect *lock_dialect_of(struct place *at)
{
	pthread_rwlock_t *lock = &at->places->state->lock;
	pthread_rwlock_rdlock(lock);
	const struct dialect *d = place_dialect(at);
	pthread_rwlock_unlock(lock);
	return d;
}

bool forks_are_known(struct place *at)
{
	const struct dialect *d = lock_dialect_of(at);
	return d && d->bases;
}

int forks_base_path(struct place *at, struct buf *path)
{
	struct place_state *s = at->state;
	pthread_mutex_lock(&s->base_lock);
	int err = update_base_id(at);
	if (!err)
		err = update_base_path(at, lock_dialect_of(at));
	if (!err)
		buf_add(path, buf_span(&s->base_path));
	pthread_mutex_unlock(&s->base_lock);
	if (!err && !buf_cstr(path))
		err = -ENOMEM;
	return err;
}

/* The source that a path is in, pinned, and the rest of the path. */
static int find_source(struct places *p, const char *path, struct place **at,
		       struct span *rest)
{
	const struct source_set *set = p->source->set;
	size_t i = 0;
	while (p->paths[i] && !pathname_is_below(path, p->paths[i]))
		i++;
	if (!p->paths[i] || !p->source->is_folder)
		return -ENOENT;
	*rest = span_of(path + strlen(p->paths[i]));
	if (set)
		return place_find(p->source, span_of(set->list[i].name), at);
	*at = p->source;
	place_pin_unused(*at);
	return 0;
}

int forks_place_at(struct places *p, const char *path, struct place **found)
{
	struct place *at;
	struct span rest;
	int err = find_source(p, path, &at, &rest);
	if (err)
		return err;
	if (span_ends(rest, suffix))
		rest.n -= suffix.n;
	while (rest.n > 0 && !err) {
		const char *slash = memchr(rest.p, '/', rest.n);
		struct span name = rest;
		struct place *next = at;
		if (slash)
			name.n = (size_t)(slash - rest.p);
		rest.p += name.n + (slash ? 1 : 0);
		rest.n -= name.n + (slash ? 1 : 0);
		/* The path of "/" ends with its slash, others do not. */
		if (name.n == 0)
			continue;
		err = at->is_folder ? place_find(at, name, &next) : -ENOENT;
		place_put(at);
		at = next;
	}
	if (!err && at->is_folder) {
		place_put(at);
		err = -ENOENT;
	}
	if (!err)
		*found = at;
	return err;
}

static bool is_scanned(struct places *p, uint64_t epoch)
{
	pthread_rwlock_rdlock(&p->state->lock);
	bool is = epoch > 0 && p->state->forks.epoch == epoch;
	if (p->scans_forks_once)
		is = p->state->forks.is_complete;
	pthread_rwlock_unlock(&p->state->lock);
	return is;
}

int forks_scan(struct places *p)
{
	struct walk w = { .from = p->source };
	struct place *at;
	uint64_t epoch = places_epoch(p);
	if (is_scanned(p, epoch))
		return 0;
	int err = walk_start(&w);
	while (!err && (at = walk_next(&w))) {
		pthread_mutex_lock(&at->state->base_lock);
		err = update_base_id(at);
		pthread_mutex_unlock(&at->state->base_lock);
		place_put(at);
	}
	walk_end(&w);
	pthread_rwlock_wrlock(&p->state->lock);
	p->state->forks.is_complete = p->state->forks.is_complete || !err;
	p->state->forks.epoch = err ? 0 : epoch;
	pthread_rwlock_unlock(&p->state->lock);
	return err;
}

unsigned forks_changes(const struct places *p)
{
	return __atomic_load_n(&p->state->forks.changes, __ATOMIC_RELAXED);
}

static struct span base_of(const struct place *at)
{
	return buf_span(&at->state->base_id);
}

static int by_number(const void *a, const void *b)
{
	const struct place *x = *(struct place *const *)a;
	const struct place *y = *(struct place *const *)b;
	int order = span_compare(base_of(x), base_of(y));
	return order ? order : (x->home > y->home) - (x->home < y->home);
}

static int by_name(const void *a, const void *b)
{
	const struct place *x = *(struct place *const *)a;
	const struct place *y = *(struct place *const *)b;
	int order = span_compare(base_of(x), base_of(y));
	if (!order)
		order = strcmp(x->name, y->name);
	return order ? order : by_number(a, b);
}

/* Leave the first of those that have one base and one name. */
static void remove_repeated(struct place_list *list)
{
	size_t n = 0;
	qsort(list->items, list->n, sizeof(*list->items), by_name);
	for (size_t i = 0; i < list->n; i++) {
		struct place *at = list->items[i];
		const struct place *last = n > 0 ? list->items[n - 1] : NULL;
		if (!last || strcmp(last->name, at->name) != 0 ||
		    !span_eq(base_of(last), base_of(at)))
			list->items[n++] = at;
	}
	list->n = n;
}

/* Under the lock. */
static int build_index(struct places_state *p)
{
	struct place_list *list = &p->forks.list;
	uint32_t number = 0;
	list->n = 0;
	while ((number = numbers_next(&p->numbers, number)) < NUMBERS_LIMIT) {
		struct place *at = numbers_owner(&p->numbers, number);
		if (at->home != number || at->is_folder ||
		    !at->state->is_shown || at->state->base_id.len == 0)
			continue;
		if (place_list_append(list, at) < 0)
			return -ENOMEM;
	}
	if (list->n > 0) {
		remove_repeated(list);
		qsort(list->items, list->n, sizeof(*list->items), by_number);
	}
	p->forks.is_current = true;
	return 0;
}

/* Take the read side of the lock, with a current index. 0 or -ENOMEM. */
static int lock_index(struct places_state *p)
{
	int err = 0;
	while (!err) {
		pthread_rwlock_rdlock(&p->lock);
		if (p->forks.is_current)
			return 0;
		pthread_rwlock_unlock(&p->lock);
		pthread_rwlock_wrlock(&p->lock);
		if (!p->forks.is_current)
			err = build_index(p);
		pthread_rwlock_unlock(&p->lock);
	}
	return err;
}

/* What the index is searched for. */
struct fork_key {
	struct span base_id;
	uint32_t above; /* homes */
};

static bool is_before(const void *items, size_t i, const void *key)
{
	const struct place *at = ((struct place *const *)items)[i];
	const struct fork_key *k = key;
	int order = span_compare(base_of(at), k->base_id);
	return order < 0 || (order == 0 && at->home <= k->above);
}

/* Under either side of the lock: the first that is one and has the name. */
static struct place *search_index(const struct place *of, uint32_t above,
				  const struct span *name)
{
	const struct dialect *d = place_dialect(of);
	const struct place_list *list = &of->places->state->forks.list;
	struct fork_key k = { .above = above };
	char base[64];
	if (d && d->bases)
		k.base_id = d->bases->file_id(span_of(of->path));
	if (k.base_id.n == 0 || k.base_id.n > sizeof(base))
		return NULL;
	for (size_t i = 0; i < k.base_id.n; i++)
		base[i] = span_lower(k.base_id.p[i]);
	k.base_id.p = base;
	for (size_t i = array_search(list->items, list->n, is_before, &k);
	     i < list->n && span_eq(base_of(list->items[i]), k.base_id); i++) {
		struct place *at = list->items[i];
		if (at != of && at->state->dialect == d &&
		    (!name || span_eq(span_of(at->name), *name)))
			return at;
	}
	return NULL;
}

/*
 * The first fork of a session that is known, whose home is above a number, and
 * that has the name, which may be NULL: 1, 0 if there is none, or -ENOMEM.
 */
static int find_known(struct place *of, uint32_t above, const struct span *name,
		      struct place **found)
{
	struct places_state *p = of->places->state;
	int err = lock_index(p);
	if (err)
		return err;
	*found = search_index(of, above, name);
	if (*found)
		place_pin_unused(*found);
	pthread_rwlock_unlock(&p->lock);
	return *found != NULL;
}

int forks_next(struct place *at, uint32_t *number, struct place **found)
{
	int got = find_known(at, *number, NULL, found);
	if (got == 1)
		*number = (*found)->home;
	return got;
}

int forks_find(struct place *at, struct span name, struct place **found)
{
	int got = find_known(at, 0, &name, found);
	if (got == 0) {
		got = forks_scan(at->places);
		if (!got)
			got = find_known(at, 0, &name, found);
	}
	return got < 0 ? got : got > 0 ? 0 : -ENOENT;
}
