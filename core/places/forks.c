#include "core/places/forks.h"

#include <errno.h>
#include <string.h>

#include "core/places/private.h"
#include "core/places/walk.h"
#include "core/session/dialect.h"

static const struct span suffix = SPAN(".jsonl");

/* Under either side of the lock. SOURCE itself is in no scan. */
static const struct dialect *dialect_of(const struct place *at)
{
	if (!at->parent && !at->is_folder)
		return at->session->dialect;
	return at->state->dialect;
}

static struct file_version version_of(const struct place *at)
{
	return at->parent ? at->state->checked
			  : file_version_of(&at->session->log.st);
}

/* Lines are appended, and the first one stays. It may be incomplete at first.
 */
static bool is_base_current(const struct place *at)
{
	const struct place_state *s = at->state;
	const struct file_version now = version_of(at);
	if (s->base_id.len == 0)
		return s->has_read_base && file_version_eq(&s->based, &now);
	return s->based.dev == now.dev && s->based.ino == now.ino &&
	       s->based.size <= now.size;
}

/* Read the id of a session's base, without a lock. */
static int read_base_id(struct place *at, const struct dialect *d,
			struct buf *id)
{
	struct log log;
	int err;
	do
		err = log_open(&log, at->path);
	while (places_make_room(at->places, err));
	if (!err)
		err = d->base_id(&log, id);
	log_close(&log);
	return err < 0 ? err : buf_error(id);
}

/* Make sure that state.base_id is current. */
static int find_base_id(struct place *at)
{
	struct brlock *lock = &at->places->state->lock;
	struct place_state *s = at->state;
	brlock_rdlock(lock);
	const struct dialect *d = dialect_of(at);
	struct file_version version = version_of(at);
	bool current = !d || !d->base_id || is_base_current(at);
	brlock_rdunlock(lock);
	if (current)
		return 0;
	struct buf id = { 0 };
	int err = read_base_id(at, d, &id);
	if (err) {
		buf_free(&id);
		return err;
	}
	brlock_wrlock(lock);
	struct buf old = s->base_id;
	s->base_id = id;
	s->based = version;
	s->has_read_base = true;
	brlock_wrunlock(lock);
	buf_free(&old);
	return 0;
}

bool forks_are_known(struct place *at)
{
	struct brlock *lock = &at->places->state->lock;
	brlock_rdlock(lock);
	const struct dialect *d = dialect_of(at);
	brlock_rdunlock(lock);
	return d && d->base_id;
}

int forks_base_path(struct place *at, struct buf *path)
{
	struct brlock *lock = &at->places->state->lock;
	struct buf id = { 0 };
	int found = 0;
	int err = find_base_id(at);
	brlock_rdlock(lock);
	const struct dialect *d = dialect_of(at);
	if (!err)
		buf_add(&id, buf_span(&at->state->base_id));
	brlock_rdunlock(lock);
	if (!err)
		err = buf_error(&id);
	while (!err && d && d->find_file && id.len > 0) {
		found = d->find_file(at->path, buf_span(&id), path);
		if (!places_make_room(at->places, found))
			break;
	}
	buf_free(&id);
	if (err || found < 0)
		return err ? err : found;
	const char *text = found ? buf_cstr(path) : NULL;
	if (found && !text)
		return -ENOMEM;
	return found && strcmp(text, at->path) != 0 ? 0 : -ENOENT;
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
		err = find_base_id(at);
		/* One that can't be read hides no others. */
		if (err != -ENOMEM)
			err = 0;
		place_put(at);
	}
	walk_end(&w);
	return err;
}

/* Under the lock: is it a session that goes on from one with the id? */
static bool is_fork(const struct place *at, const struct dialect *d,
		    struct span id)
{
	return !at->is_folder && at->state->is_shown &&
	       at->state->dialect == d &&
	       span_eq_any_case(buf_span(&at->state->base_id), id);
}

/* Under the lock: the first fork from a number on, by its name if there is one.
 */
static struct place *next_fork(const struct place *of, uint32_t *number,
			       const struct span *name)
{
	struct numbers *numbers = &of->places->state->numbers;
	const struct dialect *d = dialect_of(of);
	if (!d || !d->file_id)
		return NULL;
	struct span id = d->file_id(span_of(of->path));
	while (id.n > 0 &&
	       (*number = numbers_next(numbers, *number)) < NUMBERS_LIMIT) {
		struct place *at = numbers_owner(numbers, *number);
		if (at->home == *number && at != of && is_fork(at, d, id) &&
		    (!name || span_eq(span_of(at->name), *name)))
			return at;
	}
	return NULL;
}

/* Under the lock: the first fork with a name. */
static struct place *fork_named(const struct place *of, struct span name)
{
	uint32_t number = 0;
	return next_fork(of, &number, &name);
}

struct place *forks_next(struct place *at, uint32_t *number)
{
	struct brlock *lock = &at->places->state->lock;
	brlock_rdlock(lock);
	struct place *found = next_fork(at, number, NULL);
	while (found && fork_named(at, span_of(found->name)) != found)
		found = next_fork(at, number, NULL);
	if (found)
		place_pin_unused(found);
	brlock_rdunlock(lock);
	return found;
}

static bool find_known(struct place *at, struct span name, struct place **found)
{
	struct brlock *lock = &at->places->state->lock;
	brlock_rdlock(lock);
	*found = fork_named(at, name);
	if (*found)
		place_pin_unused(*found);
	brlock_rdunlock(lock);
	return *found != NULL;
}

int forks_find(struct place *at, struct span name, struct place **found)
{
	if (find_known(at, name, found))
		return 0;
	int err = forks_scan(at->places);
	return err ? err : find_known(at, name, found) ? 0 : -ENOENT;
}
