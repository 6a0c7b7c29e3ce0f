/*
 * How a change that was decided gets into the session's file, and into the one
 * beside it.
 *
 *     lines       appended, or put behind the migrated session
 *     start       written over the file's own start; where it has another
 *                 size, the file is replaced
 *     sidecar     replaces the file beside it
 */
#include "core/session/writer.h"

#include <errno.h>
#include <stdlib.h>

#include "core/file/log_write.h"
#include "core/json/scan.h"
#include "core/session/dialect.h"
#include "core/session/private.h"

/* Of a file that was migrated, as it was. */
#define BACKUP ".v1.bak"

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
	return replace(w, &file, err, BACKUP);
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
	struct buf rest BUF_SCOPED = { 0 };
	struct span value;
	char *to = buf_reserve(&rest, (size_t)n);
	int err =
		to ? log_read(&s->log, s->now.indexed, to, (size_t)n) : -ENOMEM;
	if (!err) {
		rest.len = (size_t)n;
		err = scan_first(buf_span(&rest), &value);
		err = err == -EAGAIN ? 1 : err == -EBADMSG ? 0 : err;
	}
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
	like.st_mode = log_mode(&s->log);
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

int write_change(struct writer *w, struct change *c)
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
