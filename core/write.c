#include "core/write.h"

#include <errno.h>
#include <stdlib.h>

#include "core/dialect.h"

/*
 * How often a file that is replaced while it is locked is locked anew, and a
 * change is decided anew because the file has grown under it.
 */
#define TRIES 50

static void unlock(struct write *w)
{
	if (w->unlock_owner)
		w->unlock_owner(w->held);
	w->unlock_owner = NULL;
	log_unlock(w->lock);
}

/*
 * Take the owner's lock, with the session left, because it may be waited for;
 * and enter again, because the owner may have written meanwhile. -EAGAIN if it
 * has replaced the file, or made it another's.
 */
static int lock_owner(struct write *w)
{
	struct session *s = w->session;
	const struct dialect *d = s->dialect;
	if (!d->lock)
		return 0;
	session_leave(s);
	int err = d->lock(s->log.path, &w->held);
	if (!err)
		w->unlock_owner = d->unlock;
	int fresh = session_enter_again(s);
	if (!err && (s->dialect != d || !log_is_locked(&s->log, w->lock)))
		err = -EAGAIN;
	return err ? err : fresh;
}

static int begin_once(struct write *w)
{
	struct session *s = w->session;
	w->lock = log_lock(&s->log);
	if (w->lock < 0)
		return w->lock;
	int err = session_enter(s);
	if (!err) {
		err = session_writable(s);
		if (!err)
			err = lock_owner(w);
		/* It may have become another's while that was waited for. */
		if (!err)
			err = session_writable(s);
		if (!err)
			return 0;
		session_leave(s);
	}
	unlock(w);
	return err;
}

int write_begin(struct write *w, struct session *s)
{
	*w = (struct write){ .session = s };
	/* What is not to be written to is not opened for writing. */
	int err = session_enter(s);
	if (err)
		return err;
	err = session_writable(s);
	session_leave(s);
	if (!err)
		err = begin_once(w);
	for (int tries = 1; err == -EAGAIN && tries < TRIES; tries++)
		err = begin_once(w);
	return err == -EAGAIN ? -EBUSY : err;
}

void write_end(struct write *w)
{
	session_leave(w->session);
	unlock(w);
}

/* Does the file end with what is no line yet? */
static bool is_torn(const struct session *s)
{
	return s->now.indexed < (uint64_t)s->log.seen.st_size;
}

/*
 * Wait for a last line that is still being written: the new file would have its
 * beginning only. What was decided is to be decided anew then.
 */
static int wait_for_line(struct write *w)
{
	session_leave(w->session);
	int err = log_wait(w->lock);
	int fresh = session_enter_again(w->session);
	w->waited = true;
	return err ? err : fresh ? fresh : -EAGAIN;
}

/* The migrated file, with the lines at its end, in the place of the old one. */
static int migrate(struct write *w, struct span lines)
{
	struct session *s = w->session;
	const char *suffix = s->dialect->backup_suffix;
	const struct stat seen = s->log.seen;
	struct buf file = { 0 };
	if (is_torn(s) && !w->waited)
		return wait_for_line(w);
	int err = s->dialect->migrate(s, &file);
	buf_add(&file, lines);
	if (!err)
		err = buf_error(&file);
	session_leave_to_rewrite(s);
	if (!err)
		err = log_replace(s->log.path, w->lock, &seen, buf_span(&file),
				  suffix);
	int fresh = session_enter_again(s);
	buf_free(&file);
	return err ? err : fresh;
}

static int append(struct write *w, struct span lines)
{
	struct session *s = w->session;
	const struct stat seen = s->log.seen;
	session_leave(s);
	int err = log_append(w->lock, &seen, lines);
	/* Replaced meanwhile: what was written went with the old one. */
	if (!err && !log_is_locked(&s->log, w->lock))
		err = -ESTALE;
	int fresh = session_enter_again(s);
	return err ? err : fresh;
}

static int replace_sidecar(struct write *w, struct span bytes)
{
	struct session *s = w->session;
	struct stat like = s->log.seen;
	/* A copy: the session's own may go while it is left. */
	char *path = strdup(s->sidecar.path);
	session_leave(s);
	int err = path ? sidecar_replace(path, bytes, &like) : -ENOMEM;
	int fresh = session_enter_again(s);
	free(path);
	return err ? err : fresh;
}

/* Bring a change to the disk, the session left meanwhile, and take it in. */
static int commit(struct write *w, struct change *c)
{
	const struct dialect *d = w->session->dialect;
	int err = buf_error(&c->lines);
	if (!err)
		err = buf_error(&c->sidecar);
	if (err)
		return err;
	/* It is so already. */
	if (c->sidecar.len == 0 && c->lines.len == 0)
		return 0;
	if (c->sidecar.len > 0)
		return replace_sidecar(w, buf_span(&c->sidecar));
	if (d->needs_migration && d->needs_migration(w->session))
		return migrate(w, buf_span(&c->lines));
	return append(w, buf_span(&c->lines));
}

/*
 * Is the path to an entry cut out of a cycle, which the agent would not leave?
 */
static bool is_in_cycle(const struct session *s, uint32_t entry)
{
	if (s->now.index.cycles == 0)
		return false;
	for (uint32_t i = entry; i != INDEX_NONE;
	     i = session_entry(s, i)->parent) {
		if (session_entry(s, i)->cut)
			return true;
	}
	return false;
}

static void change_free(struct change *c)
{
	buf_free(&c->lines);
	buf_free(&c->sidecar);
}

static int head_once(struct write *w, uint32_t target)
{
	struct session *s = w->session;
	if (target == session_head(s) || target == s->now.leaf)
		return 0;
	if (is_in_cycle(s, target))
		return -ELOOP;
	struct change c = { 0 };
	int err = s->dialect->move_head(s, target, &c);
	if (!err)
		err = commit(w, &c);
	change_free(&c);
	return err;
}

static int label_once(struct write *w, uint32_t entry, struct span text)
{
	struct session *s = w->session;
	if (span_eq(text, session_label(s, entry)))
		return 0;
	struct change c = { 0 };
	int err = s->dialect->set_label(s, entry, text, &c);
	if (!err)
		err = commit(w, &c);
	change_free(&c);
	return err;
}

/* May a change be decided anew, for the same entry? */
static int check_again(const struct session *s, uint32_t epoch)
{
	return s->epoch != epoch ? -ESTALE : session_writable(s);
}

int write_head(struct write *w, uint32_t target)
{
	uint32_t epoch = w->session->epoch;
	int err = head_once(w, target);
	for (int tries = 1; err == -EAGAIN && tries < TRIES; tries++) {
		err = check_again(w->session, epoch);
		if (!err)
			err = head_once(w, target);
	}
	return err == -EAGAIN ? -EBUSY : err;
}

int write_label(struct write *w, uint32_t entry, struct span text)
{
	uint32_t epoch = w->session->epoch;
	int err = label_once(w, entry, text);
	for (int tries = 1; err == -EAGAIN && tries < TRIES; tries++) {
		err = check_again(w->session, epoch);
		if (!err)
			err = label_once(w, entry, text);
	}
	return err == -EAGAIN ? -EBUSY : err;
}
