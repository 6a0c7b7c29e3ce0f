#include "core/places/forks.h"

#include <errno.h>
#include <string.h>

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

static struct version version_of(const struct place *at)
{
	return at->parent ? at->state->checked
			  : version_of_stat(&at->session->log.st);
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

/* Forget a base that is another one now. Needs base_lock. */
static void set_base_id(struct place *at, struct buf id, struct version version,
			bool has_read)
{
	struct places_state *p = at->places->state;
	struct place_state *s = at->state;
	brlock_wrlock(&p->lock);
	fork_index_set_base(at, &id);
	brlock_wrunlock(&p->lock);
	buf_free(&id);
	buf_reset(&s->base_path);
	versions_free(&s->searched);
	s->based = version;
	s->has_read_base = has_read;
}

/* Make sure that state.base_id is current. Needs base_lock. */
static int update_base_id(struct place *at)
{
	struct brlock *lock = &at->places->state->lock;
	brlock_rdlock(lock);
	const struct dialect *d = place_dialect(at);
	struct version version = version_of(at);
	brlock_rdunlock(lock);
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
	struct brlock *lock = &at->places->state->lock;
	brlock_rdlock(lock);
	const struct dialect *d = place_dialect(at);
	brlock_rdunlock(lock);
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

/* The place of a path below a folder, pinned, whose pin is given up. */
static int find_below(struct place *folder, struct span rest,
		      struct place **found)
{
	struct place *at = folder;
	int err = 0;
	while (rest.n > 0 && !err) {
		const char *slash = memchr(rest.p, '/', rest.n);
		struct span name = rest;
		if (slash)
			name.n = (size_t)(slash - rest.p);
		else
			name.n -= suffix.n;
		struct place *next = NULL;
		err = at->is_folder ? place_find(at, name, &next) : -ENOENT;
		place_put(at);
		at = next;
		rest.n -= slash ? name.n + 1 : rest.n;
		rest.p += slash ? name.n + 1 : 0;
	}
	if (!err && at->is_folder) {
		place_put(at);
		err = -ENOENT;
	}
	if (!err)
		*found = at;
	return err;
}

int forks_place_at(struct places *p, const char *path, struct place **found)
{
	struct span source = span_of(p->source->path);
	struct span rest = span_of(path);
	if (!p->source->is_folder || !span_starts(rest, source) ||
	    !span_ends(rest, suffix))
		return -ENOENT;
	rest.p += source.n;
	rest.n -= source.n;
	/* "/" ends with its slash. */
	if (source.n > 1 && (rest.n == 0 || *rest.p != '/'))
		return -ENOENT;
	rest.p += source.n > 1;
	rest.n -= source.n > 1;
	brlock_rdlock(&p->state->lock);
	place_pin_unused(p->source);
	brlock_rdunlock(&p->state->lock);
	return find_below(p->source, rest, found);
}

int forks_scan(struct places *p)
{
	struct walk w = { .from = p->source, .skips_subagents = true };
	struct place *at;
	int err = walk_start(&w);
	while (!err && (at = walk_next(&w))) {
		pthread_mutex_lock(&at->state->base_lock);
		err = update_base_id(at);
		pthread_mutex_unlock(&at->state->base_lock);
		place_put(at);
	}
	walk_end(&w);
	brlock_wrlock(&p->state->lock);
	p->state->forks.is_complete = p->state->forks.is_complete || !err;
	brlock_wrunlock(&p->state->lock);
	return err;
}

unsigned forks_changes(const struct places *p)
{
	return __atomic_load_n(&p->state->forks.changes, __ATOMIC_RELAXED);
}

int forks_next(struct place *at, uint32_t *number, struct place **found)
{
	struct places_state *p = at->places->state;
	int err = fork_index_lock(p);
	if (err)
		return err;
	*found = fork_index_next(at, *number);
	if (*found) {
		*number = (*found)->home;
		place_pin_unused(*found);
	}
	brlock_rdunlock(&p->lock);
	return *found != NULL;
}

/* 1 if it is known, 0 if not, or -ENOMEM. */
static int find_known(struct place *at, struct span name, struct place **found)
{
	struct places_state *p = at->places->state;
	int err = fork_index_lock(p);
	if (err)
		return err;
	*found = fork_index_find(at, name);
	if (*found)
		place_pin_unused(*found);
	brlock_rdunlock(&p->lock);
	return *found != NULL;
}

int forks_find(struct place *at, struct span name, struct place **found)
{
	int got = find_known(at, name, found);
	if (got == 0) {
		got = forks_scan(at->places);
		if (!got)
			got = find_known(at, name, found);
	}
	return got < 0 ? got : got > 0 ? 0 : -ENOENT;
}
