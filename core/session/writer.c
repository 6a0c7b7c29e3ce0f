#include "core/session/writer.h"

#include <errno.h>
#include <stdlib.h>

#include "core/file/gate.h"
#include "core/file/log_write.h"
#include "core/file/newfile.h"
#include "core/json/scan.h"
#include "core/session/dialect.h"
#include "core/session/private.h"

/*
 * How often a file is locked again because it was replaced meanwhile, and how
 * often a change is decided again because the file has grown meanwhile.
 */
#define TRIES 50

static void unlock(struct writer *w)
{
	if (w->unlock_agent)
		w->unlock_agent(w->held);
	w->unlock_agent = NULL;
	log_unlock(w->lock);
}

/*
 * Acquire the agent's lock. The session is left meanwhile, because this may
 * wait, and entered again even on error. -EAGAIN if the agent has replaced the
 * file, or the session is of another dialect by now.
 */
static int lock_agent(struct writer *w)
{
	struct session *s = w->session;
	const struct dialect *d = s->dialect;
	const struct dialect_agent *agent = d->agent;
	if (!agent || !agent->lock || w->busy.reason)
		return 0;
	session_leave(s);
	int err = agent->lock(s->log.path, &w->held);
	if (!err)
		w->unlock_agent = agent->unlock;
	int fresh = session_enter_again(s);
	if (!err && (s->dialect != d || log_is_replaced(&s->log, w->lock)))
		err = -EAGAIN;
	return err ? err : fresh;
}

/*
 * Ask whether the agent runs with the session open. The session is left
 * meanwhile, because the agent's files may be on a disk that does not answer,
 * and entered again even on error.
 */
static int ask_agent(struct writer *w)
{
	struct session *s = w->session;
	const struct dialect_agent *agent = s->dialect->agent;
	struct refusal refused = { 0 };
	struct buf copy = { 0 };
	struct json header = { 0 };
	w->busy = refused;
	if (!agent || !agent->in_use || s->force)
		return 0;
	buf_add(&copy, buf_span(&s->now.header));
	int err = buf_error(&copy);
	session_leave(s);
	if (!err && copy.len > 0 && json_check(buf_span(&copy), &header) < 0)
		header = (struct json){ 0 };
	int used =
		err ? err
		    : agent->in_use(s->log.gate, s->log.path, header, &refused);
	if (used > 0)
		w->busy = refused;
	buf_free(&copy);
	int fresh = session_enter_again(s);
	return used < 0 ? used : fresh;
}

static int begin_once(struct writer *w, bool wait)
{
	struct session *s = w->session;
	w->lock = log_lock(&s->log, wait);
	if (w->lock < 0)
		return w->lock;
	int err = session_enter(s);
	if (!err) {
		err = session_writable(s);
		if (!err)
			err = ask_agent(w);
		if (!err)
			err = lock_agent(w);
		/* While this waited, the dialect may have changed. */
		if (!err)
			err = session_writable(s);
		if (!err)
			return 0;
		session_leave(s);
	}
	unlock(w);
	return err;
}

static int begin(struct writer *w, struct session *s, bool wait)
{
	*w = (struct writer){ .session = s };
	/* A session that is read-only is not opened for writing. */
	int err = session_enter(s);
	if (err)
		return err;
	err = session_writable(s);
	session_leave(s);
	if (err)
		return err;
	/* Agents' locks and processes are not looked at through the gate. */
	int tries = 0;
	do
		err = begin_once(w, wait);
	while ((err == -EAGAIN && ++tries < TRIES) ||
	       gate_make_room(s->log.gate, err));
	return err == -EAGAIN ? -EBUSY : err;
}

int writer_begin(struct writer *w, struct session *s)
{
	return begin(w, s, true);
}

int writer_try_begin(struct writer *w, struct session *s)
{
	return begin(w, s, false);
}

void writer_end(struct writer *w)
{
	session_leave(w->session);
	unlock(w);
}

/* Does the file end with an incomplete line? */
static bool is_torn(const struct session *s)
{
	return s->now.indexed < log_size(&s->log);
}

/*
 * Wait until the agent has completed a last line, because a new file would have
 * the beginning of that line only. Returns -EAGAIN: the change has to be
 * decided again.
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
 * Put a new file in the place of the old one, which is kept beside it if there
 * is a suffix. Does nothing if the file could not be made (`err`). Frees *file.
 */
static int replace(struct writer *w, const struct stat *seen, struct buf *file,
		   int err, const char *suffix)
{
	struct session *s = w->session;
	if (!err)
		err = buf_error(file);
	session_leave_to_rewrite(s);
	if (!err)
		err = log_replace(&s->log, w->lock, seen, buf_span(file),
				  suffix);
	/* As after append(). */
	(void)session_enter_again(s);
	w->replaced = !err;
	buf_free(file);
	return err;
}

/* Replace the file by the migrated one with the lines at its end. */
static int migrate(struct writer *w, struct change *c)
{
	const struct session *s = w->session;
	const struct dialect_migration *m = s->dialect->writing->migration;
	const struct stat seen = s->log.st;
	struct buf file = { 0 };
	if (is_torn(s) && !w->waited)
		return wait_for_line(w);
	int err = m->migrate(s, &file);
	if (err == -EOPNOTSUPP)
		c->refused.reason = "the file would have to be rewritten, and "
				    "has lines that no agent writes";
	buf_add(&file, buf_span(&c->lines));
	return replace(w, &seen, &file, err, m->backup_suffix);
}

/* Replace the file by one with another start and the lines at its end. */
static int restart(struct writer *w, const struct change *c)
{
	const struct session *s = w->session;
	const struct stat seen = s->log.st;
	const size_t over = c->old_start.len;
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

/* Has the last, unended line the beginning of a value? 1, 0 or -errno. */
static int begins_value(const struct session *s)
{
	uint64_t n = log_size(&s->log) - s->now.indexed;
	struct buf rest = { 0 };
	struct span value;
	char *to = buf_reserve(&rest, (size_t)n);
	int err =
		to ? log_read(&s->log, s->now.indexed, to, (size_t)n) : -ENOMEM;
	if (!err) {
		rest.len = (size_t)n;
		const char *end = rest.data + n;
		const char *start = scan_past_space(rest.data, end);
		err = scan_first((struct span){ start, (size_t)(end - start) },
				 &value);
		err = err == -EAGAIN ? 1 : err == -EBADMSG ? 0 : err;
	}
	buf_free(&rest);
	return err;
}

/*
 * Put a line before the one of a change if the log ends in a value. To the
 * agent a line that follows could be a part of that value. Of two lines one
 * can't, and then it reads both for themselves.
 */
static int break_value(const struct session *s, struct change *c)
{
	int open = s->now.records.opens;
	const char *lf = memchr(c->lines.data, '\n', c->lines.len);
	if (!s->dialect->reading->takes_record ||
	    lf + 1 < c->lines.data + c->lines.len)
		return 0;
	if (!open && is_torn(s))
		open = begins_value(s);
	if (open <= 0)
		return open;
	struct buf lines = { 0 };
	buf_adds(&lines, "{}\n");
	buf_add(&lines, buf_span(&c->lines));
	if (buf_error(&lines)) {
		buf_free(&lines);
		return -ENOMEM;
	}
	buf_free(&c->lines);
	c->lines = lines;
	return 0;
}

static int append(struct writer *w, struct change *c)
{
	struct session *s = w->session;
	const struct stat seen = s->log.st;
	int broken = break_value(s, c);
	if (broken)
		return broken;
	bool more_to_sync = w->sync_later || c->start.len > 0;
	/* A sidecar must not name a line that is lost. */
	bool sync = !more_to_sync || c->sidecar.len > 0 ||
		    s->dialect->writing->ids_are_places;
	session_leave(s);
	int err = log_append(w->lock, &seen, buf_span(&c->lines));
	if (!err && sync)
		err = log_sync(w->lock);
	/* The lines may have gone to a file that was just replaced. */
	if (!err && log_is_replaced(&s->log, w->lock))
		err = -ESTALE;
	/* The lines are there, even if the session can't be read just now. */
	(void)session_enter_again(s);
	return err;
}

static int overwrite(struct writer *w, const struct change *c)
{
	struct session *s = w->session;
	session_leave(s);
	int err = log_overwrite(&s->log, w->lock, buf_span(&c->old_start),
				buf_span(&c->start));
	/* As after append(). */
	(void)session_enter_again(s);
	/* The lines are written: the change must not be decided again. */
	if (err == -EAGAIN && c->lines.len > 0)
		err = -ESTALE;
	return err;
}

static int replace_sidecar(struct writer *w, const struct dialect *d,
			   struct span bytes)
{
	struct session *s = w->session;
	struct stat like = s->log.st;
	/* The file may have become one of another dialect, or unreadable. */
	if (s->dialect != d || !s->beside[BESIDE_OWN].path)
		return -ESTALE;
	/* The session may free its own string while it is left. */
	char *path = strdup(s->beside[BESIDE_OWN].path);
	session_leave(s);
	int err = path ? sidecar_replace(s->log.gate, path, bytes, &like)
		       : -ENOMEM;
	/* As after append(). */
	(void)session_enter_again(s);
	free(path);
	return err;
}

static int change_error(const struct change *c)
{
	bool failed = c->lines.failed || c->start.failed ||
		      c->old_start.failed || c->sidecar.failed;
	return failed ? -ENOMEM : 0;
}

static void change_free(struct change *c)
{
	buf_free(&c->lines);
	buf_free(&c->start);
	buf_free(&c->old_start);
	buf_free(&c->sidecar);
}

/* Write a change, and refresh the session. The session is left meanwhile. */
static int write_change(struct writer *w, struct change *c)
{
	const struct dialect *d = w->session->dialect;
	const struct dialect_migration *m = d->writing->migration;
	bool old = m && m->is_needed(w->session);
	int err = change_error(c);
	if (err)
		return err;
	if (old && c->start.len > 0)
		err = -EOPNOTSUPP;
	else if (old && c->lines.len > 0)
		err = migrate(w, c);
	else if (c->start.len != c->old_start.len)
		err = restart(w, c);
	else if (c->lines.len > 0)
		err = append(w, c);
	/*
	 * The lines were ingested by now. One refresh sees only growth, the
	 * next only another first line, so the epoch stays.
	 */
	if (!err && c->start.len > 0 && c->start.len == c->old_start.len)
		err = overwrite(w, c);
	if (!err && c->sidecar.len > 0)
		err = replace_sidecar(w, d, buf_span(&c->sidecar));
	return err;
}

static bool is_empty(const struct change *c)
{
	return c->lines.len == 0 && c->start.len == 0 && c->sidecar.len == 0 &&
	       change_error(c) == 0;
}

static void set_unsynced(struct writer *w, bool unsynced)
{
	__atomic_store_n(&w->session->private->unsynced, unsynced,
			 __ATOMIC_RELAXED);
}

static bool is_unsynced(const struct writer *w)
{
	return __atomic_load_n(&w->session->private->unsynced,
			       __ATOMIC_RELAXED);
}

/* Write a change. A failed one may leave bytes that are not on the disk. */
static int commit(struct writer *w, struct change *c)
{
	int err = is_empty(c) ? 0 : write_change(w, c);
	if (err && err != -EAGAIN)
		set_unsynced(w, true);
	return err;
}

/* A change that a caller asks for. */
struct request {
	int (*decide)(const struct session *s, const struct request *r,
		      struct change *c);
	bool numbered; /* `entry` is a number: valid in this epoch only */
	uint32_t entry;
	struct span text;
	struct json line;
};

/* Write a change, unless it is to the file while the agent runs. */
static int commit_unless_busy(struct writer *w, struct change *c)
{
	bool file = c->lines.len > 0 || c->start.len > 0;
	if (!file || !w->busy.reason)
		return commit(w, c);
	c->refused = w->busy;
	return -EBUSY;
}

/*
 * Finish a write before this one that has failed: sync what it left, and read
 * it. If reading it has failed, the session is half-read, and the size of the
 * file shows nothing of that.
 */
static int catch_up(struct writer *w)
{
	struct session *s = w->session;
	bool sync = is_unsynced(w);
	if (!sync && !s->private->incomplete)
		return 0;
	session_leave(s);
	int err = sync ? log_sync(w->lock) : 0;
	if (sync && !err)
		err = newfile_sync_folder_of(s->log.gate, s->log.path);
	int fresh = session_enter_again(s);
	if (sync && !err)
		set_unsynced(w, false);
	return err ? err : fresh;
}

/*
 * Decide on the bytes of a change, and write them. decide() leaves the change
 * empty if the session is as requested already. A change that was decided while
 * another process wrote is decided again.
 */
static int carry_out(struct writer *w, const struct request *r)
{
	struct session *s = w->session;
	struct refusal refused = { 0 };
	uint32_t epoch = s->epoch;
	int err = -EAGAIN;
	for (int tries = 0; err == -EAGAIN && tries < TRIES; tries++) {
		struct change c = { 0 };
		err = catch_up(w);
		if (!err)
			err = r->numbered && s->epoch != epoch
				      ? -ESTALE
				      : session_writable(s);
		if (!err)
			err = r->decide(s, r, &c);
		if (!err)
			err = commit_unless_busy(w, &c);
		if (err)
			refused = c.refused;
		change_free(&c);
	}
	int fresh = refused.reason ? session_refuse(s, refused) : 0;
	return err == -EAGAIN ? -EBUSY : err ? err : fresh;
}

static int decide_head(const struct session *s, const struct request *r,
		       struct change *c)
{
	uint32_t target = r->entry;
	if (target == session_head(s) || target == s->now.leaf)
		return 0;
	if (path_is_cut(s, target))
		return -ELOOP;
	return s->dialect->writing->move_head(s, target, c);
}

int writer_set_head(struct writer *w, uint32_t target)
{
	const struct request r = { .decide = decide_head,
				   .numbered = true,
				   .entry = target };
	return carry_out(w, &r);
}

static int decide_label(const struct session *s, const struct request *r,
			struct change *c)
{
	if (span_eq(r->text, session_label(s, r->entry)))
		return 0;
	return s->dialect->writing->set_label(s, r->entry, r->text, c);
}

int writer_set_label(struct writer *w, uint32_t entry, struct span text)
{
	const struct request r = { .decide = decide_label,
				   .numbered = true,
				   .entry = entry,
				   .text = text };
	return carry_out(w, &r);
}

int writer_can_add_entries(const struct session *s)
{
	int err = session_writable(s);
	return err || s->dialect->writing->add_entry ? err : -EROFS;
}

int writer_refuse_lines(struct session *s, int err)
{
	if (!err || session_writable(s))
		return err;
	const char *reason = s->dialect->writing->never_appended;
	if (!reason)
		return err;
	int fresh = session_refuse(s, (struct refusal){ .reason = reason });
	return fresh ? fresh : err;
}

int writer_can_set_name(const struct session *s)
{
	int err = writer_can_add_entries(s);
	return err || s->dialect->writing->set_name ? err : -EOPNOTSUPP;
}

static int decide_name(const struct session *s, const struct request *r,
		       struct change *c)
{
	if (span_eq(r->text, buf_span(&s->now.name)))
		return 0;
	int err = writer_can_set_name(s);
	c->refused.reason = err ? s->dialect->writing->never_appended : NULL;
	return err ? err : s->dialect->writing->set_name(s, r->text, c);
}

int writer_set_name(struct writer *w, struct span name)
{
	const struct request r = { .decide = decide_name, .text = name };
	return carry_out(w, &r);
}

static int decide_entry(const struct session *s, const struct request *r,
			struct change *c)
{
	int err = writer_can_add_entries(s);
	return err ? err
		   : s->dialect->writing->add_entry(s, r->line, c,
						    &c->refused.reason);
}

int writer_add_entry(struct writer *w, struct span line)
{
	const char *reason = NULL;
	struct request r = { .decide = decide_entry };
	int err = json_check(line, &r.line);
	if (err == -EBADMSG)
		reason = "not JSON";
	else if (!err && json_type(r.line) != JSON_OBJECT)
		reason = "not a JSON object";
	else
		return err ? err : carry_out(w, &r);
	err = session_refuse(w->session, (struct refusal){ .reason = reason });
	return err ? err : -EINVAL;
}

int writer_sync(struct writer *w)
{
	session_leave(w->session);
	int err = log_sync(w->lock);
	(void)session_enter_again(w->session);
	if (err)
		set_unsynced(w, true);
	return err;
}
