#include "core/places/bases.h"

#include <errno.h>
#include <string.h>

#include "core/base/pathname.h"
#include "core/file/fault.h"
#include "core/file/gate.h"
#include "core/places/private.h"
#include "core/session/kept.h"

static const struct span suffix = SPAN(".jsonl");

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
	struct place_state *s = at->state;
	buf_free(&s->base_id);
	buf_reset(&s->base_path);
	versions_free(&s->searched);
	s->base_id = id;
	s->based = version;
	s->has_read_base = has_read;
}

/* SOURCE itself is in no scan. */
static const struct dialect *dialect_of(struct place *at,
					struct version *version)
{
	pthread_rwlock_t *lock = &at->places->state->lock;
	const struct session *s = at->parent ? NULL : at->session;
	pthread_rwlock_rdlock(lock);
	const struct dialect *d = s ? s->dialect : at->state->dialect;
	*version = s ? version_of_stat(&s->log.st) : at->state->checked;
	pthread_rwlock_unlock(lock);
	return d;
}

/* Make sure that state.base_id is current. Needs base_lock. */
static int update_base_id(struct place *at, const struct dialect *d,
			  struct version version)
{
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
	int found = kept_find_base(d, at->path, buf_span(&s->base_id), &how,
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

bool bases_are_known(struct place *at)
{
	struct version version;
	const struct dialect *d = dialect_of(at, &version);
	return d && d->bases;
}

int bases_path(struct place *at, struct buf *path)
{
	struct place_state *s = at->state;
	struct version version;
	pthread_mutex_lock(&s->base_lock);
	const struct dialect *d = dialect_of(at, &version);
	int err = update_base_id(at, d, version);
	if (!err)
		err = update_base_path(at, d);
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

int bases_place_at(struct places *p, const char *path, struct place **found)
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
		rest = span_from(rest, name.n + (slash ? 1 : 0));
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
