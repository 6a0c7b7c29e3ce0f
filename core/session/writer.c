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
	if (w->lock >= 0)
		log_unlock(w->lock);
	w->lock = -1;
}

/*
 * Lock the file, and take the agent's lock unless the agent runs with the
 * session open. The session is not entered, because all this may wait: for
 * another process, or for a disk that does not answer. On failure the caller
 * calls unlock() as well.
 */
static int lock_all(struct writer *w, bool wait,
		    const struct dialect_agent *agent, struct span header_line)
{
	struct session *s = w->session;
	struct refusal busy = { 0 };
	struct json header = { 0 };
	w->lock = log_lock(&s->log, wait);
	if (w->lock < 0)
		return w->lock;
	if (header_line.n > 0 && json_check(header_line, &header) < 0)
		header = (struct json){ 0 };
	int used = 0;
	if (agent && agent->in_use && !s->force)
		used = agent->in_use(s->log.gate, s->log.path, header, &busy);
	w->busy = used > 0 ? busy : (struct refusal){ 0 };
	if (used < 0 || !agent || !agent->lock || w->busy.reason)
		return used < 0 ? used : 0;
	int err = agent->lock(s->log.path, &w->held);
	if (!err)
		w->unlock_agent = agent->unlock;
	return err;
}

/*
 * The one place that looks whether the locks are those of the session as it
 * was when they were asked for: -EAGAIN if it is another one by now.
 */
static int begin_once(struct writer *w, bool wait)
{
	struct session *s = w->session;
	struct buf header = { 0 };
	int err = session_enter(s);
	if (err)
		return err;
	/* A session that is read-only is not opened for writing. */
	err = session_writable(s);
	const struct dialect *d = s->dialect;
	uint32_t epoch = s->epoch;
	buf_add(&header, buf_span(&s->now.header));
	session_leave(s);
	if (!err)
		err = buf_error(&header);
	if (!err)
		err = lock_all(w, wait, d->agent, buf_span(&header));
	buf_free(&header);
	if (!err)
		err = session_enter(s);
	if (!err) {
		bool other = s->dialect != d || s->epoch != epoch ||
			     log_is_replaced(&s->log, w->lock);
		err = other ? -EAGAIN : session_writable(s);
		if (err)
			session_leave(s);
	}
	if (err)
		unlock(w);
	return err;
}

static int begin(struct writer *w, struct session *s, bool wait)
{
	int err;
	int tries = 0;
	*w = (struct writer){ .session = s, .lock = -1 };
	/* Agents' locks and processes are not looked at through the gate. */
	do
		err = begin_once(w, wait);
	while ((err == -EAGAIN && ++tries < TRIES) ||
	       open_files_make_room(gate_files(s->log.gate), err));
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
 * Put a new file in the place of the old one, which is kept beside it if there
 * is a suffix. Does nothing if the file could not be made (`err`). Frees *file.
 */
static int replace(struct writer *w, struct buf *file, int err,
		   const char *suffix)
{
	struct session *s = w->session;
	if (!err)
		err = buf_error(file);
	if (!err) {
		const struct stat seen = s->log.st;
		/* If every entry keeps its number. */
		s->private->keep_epoch = true;
		session_leave(s);
		err = log_replace(&s->log, w->lock, &seen, buf_span(file),
				  suffix);
		(void)session_enter_again(s);
	}
	w->replaced = !err;
	buf_free(file);
	return err;
}

/* Replace the file by the migrated one with the lines at its end. */
static int migrate(struct writer *w, struct change *c)
{
	const struct session *s = w->session;
	const struct dialect_migration *m = s->dialect->writing->migration;
	struct buf file = { 0 };
	int err = m->migrate(s, &file);
	if (err == -EOPNOTSUPP)
		c->refused.reason = "the file would have to be rewritten, and "
				    "has lines that no agent writes";
	buf_add(&file, buf_span(&c->lines));
	return replace(w, &file, err, m->backup_suffix);
}

/* Replace the file by one with another start and the lines at its end. */
static int restart(struct writer *w, const struct change *c)
{
	const struct session *s = w->session;
	const size_t over = c->old_start.len;
	struct buf file = { 0 };
	size_t rest = (size_t)s->log.st.st_size - over;
	buf_add(&file, buf_span(&c->start));
	char *to = buf_reserve(&file, rest);
	int err = to ? log_read(&s->log, over, to, rest) : -ENOMEM;
	if (!err)
		file.len += rest;
	buf_end_line(&file);
	buf_add(&file, buf_span(&c->lines));
	return replace(w, &file, err, NULL);
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
		err = scan_first(buf_span(&rest), &value);
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
	buf_free_into(&c->lines, &lines);
	c->lines = lines;
	return buf_error(&lines);
}

static int append(struct writer *w, struct change *c)
{
	struct session *s = w->session;
	const struct stat seen = s->log.st;
	int err = break_value(s, c);
	if (err)
		return err;
	bool more_to_sync = w->sync_later || c->start.len > 0;
	/* A sidecar must not name a line that is lost. */
	bool sync = !more_to_sync || c->sidecar.len > 0 ||
		    s->dialect->writing->ids_are_places;
	session_leave(s);
	err = log_append(w->lock, &seen, buf_span(&c->lines));
	if (!err && sync)
		err = log_sync(w->lock);
	/* The lines may have gone to a file that was just replaced. */
	if (!err && log_is_replaced(&s->log, w->lock))
		err = -ESTALE;
	(void)session_enter_again(s);
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

/*
 * Write a change, and refresh the session, which is left for each of its steps.
 * What was written is there, even if the session can't be read just now: errors
 * of entering it again don't count.
 */
static int write_change(struct writer *w, struct change *c)
{
	struct session *s = w->session;
	const struct dialect *d = s->dialect;
	const struct dialect_migration *m = d->writing->migration;
	bool old = m && m->is_needed(s);
	int err = 0;
	if (old && c->start.len > 0)
		return -EOPNOTSUPP;
	/*
	 * A new file would have the beginning only of a last line that its
	 * agent has yet to complete.
	 */
	bool migrates = old && c->lines.len > 0;
	bool restarts = c->start.len != c->old_start.len;
	if ((migrates || restarts) && is_torn(s) && !w->waited) {
		session_leave(s);
		err = log_wait_torn(w->lock);
		w->waited = true;
		int fresh = session_enter_again(s);
		return err ? err : fresh ? fresh : -EAGAIN;
	}
	if (migrates)
		err = migrate(w, c);
	else if (restarts)
		err = restart(w, c);
	else if (c->lines.len > 0)
		err = append(w, c);
	/*
	 * The lines were ingested by now. One refresh sees only growth, the
	 * next only another first line, so the epoch stays.
	 */
	if (!err && c->start.len > 0 && !restarts) {
		session_leave(s);
		err = log_overwrite(&s->log, w->lock, buf_span(&c->old_start),
				    buf_span(&c->start));
		(void)session_enter_again(s);
		/* Lines are written: the change must not be decided again. */
		if (err == -EAGAIN && c->lines.len > 0)
			err = -ESTALE;
	}
	if (!err && c->sidecar.len > 0)
		err = replace_sidecar(w, d, buf_span(&c->sidecar));
	return err;
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

/*
 * Write a change, unless it is to the file while the agent runs. A failed one
 * may leave bytes that are not on the disk.
 */
static int commit(struct writer *w, struct change *c)
{
	bool file = c->lines.len > 0 || c->start.len > 0;
	if (file && w->busy.reason) {
		c->refused = w->busy;
		return -EBUSY;
	}
	int err = change_error(c);
	if (!err && (file || c->sidecar.len > 0))
		err = write_change(w, c);
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
	if (sync && !err)
		set_unsynced(w, false);
	int fresh = session_enter_again(s);
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
			err = commit(w, &c);
		if (err)
			refused = c.refused;
		change_free(&c);
	}
	int fresh = refused.reason ? session_reenter_refused(s, refused) : 0;
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

int writer_reenter_refused(struct session *s, int err)
{
	if (!err || session_writable(s))
		return err;
	const char *reason = s->dialect->writing->never_appended;
	if (!reason)
		return err;
	int fresh = session_reenter_refused(
		s, (struct refusal){ .reason = reason });
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
	err = session_reenter_refused(w->session,
				      (struct refusal){ .reason = reason });
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
