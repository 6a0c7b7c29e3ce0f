#include "core/session/writer.h"

#include <errno.h>
#include <stdlib.h>

#include "core/file/log_write.h"
#include "core/session/dialect.h"

/*
 * How often a file that is replaced while it is locked is locked anew, and a
 * change is decided anew because the file has grown under it.
 */
#define TRIES 50

static void unlock(struct writer *w)
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
static int lock_owner(struct writer *w)
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

/*
 * Does the owner run with the session open? The session is left meanwhile: a
 * folder that has to be looked at may be on a disk that does not answer.
 */
static int ask_owner(struct writer *w)
{
	struct session *s = w->session;
	const struct dialect *d = s->dialect;
	struct refusal refused = { 0 };
	struct buf copy = { 0 };
	struct json header = { 0 };
	if (!d->in_use || s->force)
		return 0;
	buf_add(&copy, buf_span(&s->now.header));
	int err = buf_error(&copy);
	session_leave(s);
	if (!err && copy.len > 0 && json_check(buf_span(&copy), &header) < 0)
		header = (struct json){ 0 };
	if (!err && d->in_use(s->log.path, header, &refused))
		err = -EBUSY;
	buf_free(&copy);
	int fresh = session_enter_again(s);
	if (err == -EBUSY && !fresh)
		fresh = session_refuse(s, refused);
	return err ? err : fresh;
}

static int begin_once(struct writer *w)
{
	struct session *s = w->session;
	w->lock = log_lock(&s->log);
	if (w->lock < 0)
		return w->lock;
	int err = session_enter(s);
	if (!err) {
		err = session_writable(s);
		if (!err)
			err = ask_owner(w);
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

int writer_begin(struct writer *w, struct session *s)
{
	*w = (struct writer){ .session = s };
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

void writer_end(struct writer *w)
{
	session_leave(w->session);
	unlock(w);
}

/* Does the file end with what is no line yet? */
static bool is_torn(const struct session *s)
{
	return s->now.indexed < (uint64_t)s->log.st.st_size;
}

/*
 * Wait for a last line that is still being written: the new file would have its
 * beginning only. What was decided is to be decided anew then.
 */
static int wait_for_line(struct writer *w)
{
	session_leave(w->session);
	int err = log_wait_torn(w->lock);
	int fresh = session_enter_again(w->session);
	w->waited = true;
	return err ? err : fresh ? fresh : -EAGAIN;
}

/*
 * A file, if it could be made (`err`), in the place of the old one, which is
 * kept beside it under a suffix, if there is one. Frees it.
 */
static int replace(struct writer *w, const struct stat *seen, struct buf *file,
		   int err, const char *suffix)
{
	struct session *s = w->session;
	if (!err)
		err = buf_error(file);
	session_leave_to_rewrite(s);
	if (!err)
		err = log_replace(s->log.path, w->lock, seen, buf_span(file),
				  suffix);
	int fresh = session_enter_again(s);
	w->replaced = !err;
	buf_free(file);
	return err ? err : fresh;
}

/* The migrated file, with the lines at its end, in the place of the old one. */
static int migrate(struct writer *w, struct span lines)
{
	const struct session *s = w->session;
	const struct stat seen = s->log.st;
	struct buf file = { 0 };
	if (is_torn(s) && !w->waited)
		return wait_for_line(w);
	int err = s->dialect->migrate(s, &file);
	buf_add(&file, lines);
	return replace(w, &seen, &file, err, s->dialect->backup_suffix);
}

/* The file with another start and the lines at its end, as a new one. */
static int restart(struct writer *w, const struct change *c)
{
	const struct session *s = w->session;
	const struct stat seen = s->log.st;
	const size_t over = c->over.len;
	struct buf file = { 0 };
	if (is_torn(s) && !w->waited)
		return wait_for_line(w);
	size_t rest = (size_t)seen.st_size - over;
	buf_add(&file, buf_span(&c->start));
	char *to = buf_reserve(&file, rest);
	int err = to ? log_read(&s->log, over, to, rest) : -ENOMEM;
	if (!err)
		file.len += rest;
	buf_end_line(&file);
	buf_add(&file, buf_span(&c->lines));
	return replace(w, &seen, &file, err, NULL);
}

static int append(struct writer *w, const struct change *c)
{
	struct session *s = w->session;
	const struct stat seen = s->log.st;
	session_leave(s);
	int err = log_append(w->lock, &seen, buf_span(&c->lines));
	/* A sidecar must not name a line that is lost. */
	if (!err && (!w->later || c->sidecar.len > 0))
		err = log_sync(w->lock);
	/* Replaced meanwhile: what was written went with the old one. */
	if (!err && !log_is_locked(&s->log, w->lock))
		err = -ESTALE;
	int fresh = session_enter_again(s);
	return err ? err : fresh;
}

static int overwrite(struct writer *w, const struct change *c)
{
	struct session *s = w->session;
	session_leave(s);
	int err = log_overwrite(&s->log, w->lock, buf_span(&c->over),
				buf_span(&c->start));
	int fresh = session_enter_again(s);
	/* The lines are there: nothing is to be decided anew. */
	if (err == -EAGAIN && c->lines.len > 0)
		err = -ESTALE;
	return err ? err : fresh;
}

static int replace_sidecar(struct writer *w, struct span bytes)
{
	struct session *s = w->session;
	struct stat like = s->log.st;
	/* A copy: the session's own may go while it is left. */
	char *path = strdup(s->sidecar.path);
	session_leave(s);
	int err = path ? sidecar_replace(path, bytes, &like) : -ENOMEM;
	int fresh = session_enter_again(s);
	free(path);
	return err ? err : fresh;
}

static int change_error(const struct change *c)
{
	bool failed = c->lines.failed || c->start.failed || c->over.failed ||
		      c->sidecar.failed;
	return failed ? -ENOMEM : 0;
}

static void change_free(struct change *c)
{
	buf_free(&c->lines);
	buf_free(&c->start);
	buf_free(&c->over);
	buf_free(&c->sidecar);
}

/* Bring a change to the disk, the session left meanwhile, and take it in. */
static int commit(struct writer *w, struct change *c)
{
	const struct dialect *d = w->session->dialect;
	bool old = d->needs_migration && d->needs_migration(w->session);
	int err = change_error(c);
	if (err)
		return err;
	if (old && c->start.len > 0)
		err = -EOPNOTSUPP;
	else if (old && c->lines.len > 0)
		err = migrate(w, buf_span(&c->lines));
	else if (c->start.len != c->over.len)
		err = restart(w, c);
	else if (c->lines.len > 0)
		err = append(w, c);
	/*
	 * After the lines were taken in: a session that has only grown, or has
	 * only another first line, is the same one.
	 */
	if (!err && c->start.len > 0 && c->start.len == c->over.len)
		err = overwrite(w, c);
	if (!err && c->sidecar.len > 0)
		err = replace_sidecar(w, buf_span(&c->sidecar));
	return err;
}

/* What is wanted, in the terms of the dialect's functions. */
struct wish {
	int (*decide)(const struct session *s, const struct wish *wish,
		      struct change *c);
	bool numbered; /* `entry` is one, which means something in an epoch */
	uint32_t entry;
	struct span text;
	struct json line;
	const char **why;
};

/*
 * Decide what is to be written, and write it; nothing if the wish is true
 * already. What was decided while somebody else wrote is decided anew.
 */
static int fulfil(struct writer *w, const struct wish *wish)
{
	struct session *s = w->session;
	uint32_t epoch = s->epoch;
	int err = -EAGAIN;
	for (int tries = 0; err == -EAGAIN && tries < TRIES; tries++) {
		struct change c = { 0 };
		err = wish->numbered && s->epoch != epoch ? -ESTALE
							  : session_writable(s);
		if (!err)
			err = wish->decide(s, wish, &c);
		if (!err)
			err = commit(w, &c);
		change_free(&c);
	}
	return err == -EAGAIN ? -EBUSY : err;
}

static int decide_head(const struct session *s, const struct wish *wish,
		       struct change *c)
{
	uint32_t target = wish->entry;
	if (target == session_head(s) || target == s->now.leaf)
		return 0;
	if (path_is_cut(s, target))
		return -ELOOP;
	return s->dialect->move_head(s, target, c);
}

int writer_set_head(struct writer *w, uint32_t target)
{
	const struct wish wish = { .decide = decide_head,
				   .numbered = true,
				   .entry = target };
	return fulfil(w, &wish);
}

static int decide_label(const struct session *s, const struct wish *wish,
			struct change *c)
{
	if (span_eq(wish->text, session_label(s, wish->entry)))
		return 0;
	return s->dialect->set_label(s, wish->entry, wish->text, c);
}

int writer_set_label(struct writer *w, uint32_t entry, struct span text)
{
	const struct wish wish = { .decide = decide_label,
				   .numbered = true,
				   .entry = entry,
				   .text = text };
	return fulfil(w, &wish);
}

int writer_can_add_entries(const struct session *s)
{
	int err = session_writable(s);
	return err || s->dialect->add_entry ? err : -EROFS;
}

int writer_can_set_name(const struct session *s)
{
	int err = writer_can_add_entries(s);
	return err || s->dialect->set_name ? err : -EOPNOTSUPP;
}

static int decide_name(const struct session *s, const struct wish *wish,
		       struct change *c)
{
	if (span_eq(wish->text, buf_span(&s->now.name)))
		return 0;
	int err = writer_can_set_name(s);
	return err ? err : s->dialect->set_name(s, wish->text, c);
}

int writer_set_name(struct writer *w, struct span name)
{
	const struct wish wish = { .decide = decide_name, .text = name };
	return fulfil(w, &wish);
}

static int decide_entry(const struct session *s, const struct wish *wish,
			struct change *c)
{
	int err = writer_can_add_entries(s);
	return err ? err : s->dialect->add_entry(s, wish->line, c, wish->why);
}

int writer_add_entry(struct writer *w, struct span line)
{
	const char *why = NULL;
	struct wish wish = { .decide = decide_entry, .why = &why };
	int err = json_check(line, &wish.line);
	if (err == -EBADMSG)
		why = "not JSON";
	else if (!err && json_type(wish.line) != JSON_OBJECT)
		why = "not a JSON object";
	else if (!err)
		err = fulfil(w, &wish);
	if (!why)
		return err;
	err = session_refuse(w->session, (struct refusal){ .reason = why });
	return err ? err : -EINVAL;
}

int writer_sync(struct writer *w)
{
	session_leave(w->session);
	int err = log_sync(w->lock);
	int fresh = session_enter_again(w->session);
	return err ? err : fresh;
}
