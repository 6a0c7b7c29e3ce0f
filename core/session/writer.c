#include "core/session/writer.h"

#include <errno.h>

#include "core/file/gate.h"
#include "core/file/log_write.h"
#include "core/file/newfile.h"
#include "core/session/dialect.h"
#include "core/session/private.h"
#include "core/session/process.h"

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

/* See dialect_agent.in_use. */
static int in_use(const struct session *s, const struct dialect_agent *agent,
		  struct json header, pid_t *pid)
{
	if (agent->in_use)
		return agent->in_use(s->log.gate, s->log.path, header, pid);
	pid_t found = process_of(agent, s->log.gate, s->log.path);
	if (found > 0)
		*pid = found;
	return found > 0 ? 1 : found;
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
	if (agent && agent->refuses && !s->force)
		used = in_use(s, agent, header, &busy.pid);
	if (used > 0)
		busy.reason = agent->refuses;
	w->busy = busy;
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
	struct buf header BUF_SCOPED = { 0 };
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
	/* `info` has why, and not why a write before was refused. */
	if (err == -EBUSY && wait && session_enter(s) == 0) {
		const struct refusal locked = {
			.reason = "another process has locked the session for "
				  "seconds"
		};
		(void)session_reenter_refused(s, locked);
		session_leave(s);
	}
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

static void set_unsynced(struct writer *w, bool unsynced)
{
	__atomic_store_n(&w->session->private->unsynced, unsynced,
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
	bool failed = c->lines.failed || c->start.failed ||
		      c->old_start.failed || c->sidecar.failed;
	int err = failed ? -ENOMEM : 0;
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
	bool sync = __atomic_load_n(&s->private->unsynced, __ATOMIC_RELAXED);
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
		buf_free(&c.lines);
		buf_free(&c.start);
		buf_free(&c.old_start);
		buf_free(&c.sidecar);
	}
	int fresh = refused.reason ? session_reenter_refused(s, refused) : 0;
	return err == -EAGAIN ? -EBUSY : err ? err : fresh;
}

static int decide_head(const struct session *s, const struct request *r,
		       struct change *c)
{
	uint32_t target = r->entry;
	if (target == session_at_leaf(s) || target == s->now.leaf)
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
