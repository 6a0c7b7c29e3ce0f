#include <errno.h>
#include <string.h>

#include "core/session/writer.h"
#include "core/show/info.h"
#include "fs/tree/head_target.h"
#include "mount/cli/status.h"
#include "mount/mounts/mounts.h"
#include "mount/operands/target.h"

/* A change, which is made while the writer has the session. */
typedef int change_fn(struct writer *w, struct span what);

/* With what the session says of a refusal of now, or what could be written. */
static int fail(const struct target *t, int err)
{
	const struct session *s = t->session;
	struct buf reason = { 0 };
	if (s->refused.reason)
		info_add_refusal(s, &reason);
	else
		buf_adds(&reason, strerror(-err));
	if (!s->refused.reason && err == -EROFS)
		buf_addf(&reason, " (writable: %s)", info_writable(s));
	return status_fail_made(t->root ? t->root : t->source, &reason);
}

/* The session is entered before and after. */
static int change(struct target *t, change_fn *make, struct span what)
{
	struct session *s = t->session;
	struct writer w;
	if (session_file_is_pipe(&t->file))
		return status_fail(t->source, "is a pipe, and not written to");
	session_leave(s);
	int err = writer_begin(&w, s);
	if (!err) {
		err = make(&w, what);
		writer_end(&w);
	}
	int entered = session_enter(s);
	if (entered) {
		/* It is freed, and not left. */
		session_free(s);
		t->session = t->file.session = NULL;
		return status_error(t->source, err ? err : entered);
	}
	return err ? fail(t, err) : STATUS_OK;
}

/* The numbers of entries may be others by now. */
static int move_head(struct writer *w, struct span entry)
{
	uint32_t at = INDEX_NONE;
	if (entry.n > 0)
		at = index_find_name(&w->session->now.index, entry);
	return entry.n > 0 && at == INDEX_NONE ? -ENOENT
					       : writer_set_head(w, at);
}

int target_move_head(struct target *t, uint32_t at)
{
	struct buf name BUF_SCOPED = { 0 };
	struct buf was BUF_SCOPED = { 0 };
	struct buf is BUF_SCOPED = { 0 };
	target_add_head(t->session, &was);
	if (at != INDEX_NONE)
		index_add_name(&t->session->now.index, &name, at);
	int status = name.failed || !buf_cstr(&was)
			     ? status_error(t->source, -ENOMEM)
			     : change(t, move_head, buf_span(&name));
	if (!status)
		target_add_head(t->session, &is);
	if (!status && !span_eq(buf_span(&was), buf_span(&is)))
		mounts_remember_head(t->source, was.data);
	return status;
}

static int append(struct writer *w, struct span line)
{
	int err = writer_can_add_entries(w->session);
	return err ? writer_reenter_refused(w->session, err)
		   : writer_add_entry(w, line);
}

int target_append(struct target *t, struct span line)
{
	return change(t, append, line);
}
