#include "mount/operands/target.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/pathname.h"
#include "core/session/writer.h"
#include "core/show/info.h"
#include "fs/tree/head_target.h"
#include "mount/cli/path_type.h"
#include "mount/cli/status.h"
#include "mount/cli/terminal.h"
#include "mount/mounts/mounted.h"
#include "mount/mounts/mounts.h"
#include "mount/operands/selection.h"
#include "mount/operands/session_file.h"

#define NOT_MOUNTED "not in a mounted session"
#define HOW_TO \
	" (sessfs open . mounts its newest; an id of sessfs list is enough)"

/* -- here */

/* Are both of one project? It is that of `dir`, and `up` is above. */
static bool is_project(const char *dir, const char *up)
{
	char *own = strdup(dir);
	const struct select_by by = { .dir = own, .is_quiet = true };
	struct selection s = { 0 };
	bool is = own && selection_make(&s, &by, NULL, 0) == STATUS_OK &&
		  s.dir && pathname_is_below(up, s.dir);
	selection_free(&s);
	free(own);
	return is;
}

/* What was opened last for a directory, or for one above in its project. */
static int find_last(const char *dir, char **mnt)
{
	char *up = strdup(dir);
	int err = up ? mounts_last(up, mnt) : -ENOMEM;
	bool above = err == -ENOENT;
	while (err == -ENOENT && select_go_up(up))
		err = mounts_last(up, mnt);
	/* What was opened for a folder of projects is of none of them. */
	if (!err && above && !is_project(dir, up)) {
		free(*mnt);
		*mnt = NULL;
		err = -ENOENT;
	}
	free(up);
	return err;
}

/*
 * The root here, or the file of a session that is not mounted; -ESRCH: there is
 * none. *dir is the working directory, if it is in no session.
 */
static int find_here(char **root, char **dir)
{
	struct mounted m;
	int err = mounted_find(&m, ".");
	if (!err) {
		*root = m.root;
		m.root = NULL;
	}
	mounted_free(&m);
	if (err != -ESRCH)
		return err;
	*dir = realpath(".", NULL);
	err = *dir ? find_last(*dir, root) : -errno;
	return err == -ENOENT || err == -ENOTCONN ? -ESRCH : err;
}

int target_here(struct target *t)
{
	char *root = NULL;
	char *dir = NULL;
	*t = (struct target){ .at = INDEX_NONE };
	int err = find_here(&root, &dir);
	if (!err)
		err = target_look(t, root);
	t->is_remembered = dir != NULL;
	const char *here = dir ? dir : ".";
	int status = STATUS_OK;
	if (err == -ESRCH)
		status = status_fail(here, NOT_MOUNTED
				     ", and none that sessfs open has "
				     "printed for it is there" HOW_TO);
	else if (err)
		status = status_error(here, err);
	free(root);
	free(dir);
	return status;
}

/* -- entries */

/* Open and enter the session. */
static int open_session(struct target *t)
{
	t->file.name = t->is_folder ? t->shown : t->source;
	int err = t->is_folder ? -EISDIR : session_file_open(&t->file);
	t->session = t->file.session;
	/* Nobody has named it. */
	if (err == -ENOENT && t->is_remembered)
		return status_fail(t->source,
				   "was opened here last, and is gone" HOW_TO);
	return err ? session_file_fail(&t->file, err) : STATUS_OK;
}

/* As a target of HEAD, below a folder of the session or its root. */
static int resolve(struct target *t, const char *folder, const char *name)
{
	struct buf target BUF_SCOPED = { 0 };
	buf_addf(&target, "%s%s", folder, name);
	int err = buf_error(&target);
	if (!err)
		err = target_resolve_below(t->session, buf_span(&target),
					   SPAN(""), &t->at);
	return err;
}

/* Such a name is only a path. */
static bool is_path(const char *name)
{
	return !*name || *name == '/' || strcmp(name, ".") == 0 ||
	       strcmp(name, "..") == 0 || strncmp(name, "./", 2) == 0 ||
	       strncmp(name, "../", 3) == 0;
}

/* By a whole id, a label, a branch, and what else can be a target of HEAD. */
static int find_named(struct target *t, const char *name)
{
	static const char *const folders[] = { "by-label/", "branches/" };
	if (is_path(name))
		return -ENOENT;
	t->at = index_find_name(&t->session->now.index, span_of(name));
	if (t->at != INDEX_NONE && strcmp(name, "HEAD") != 0 &&
	    strcmp(name, "tree") != 0)
		return 0;
	int err = -ENOENT;
	for (size_t i = 0; i < 2 && err == -ENOENT; i++)
		err = resolve(t, folders[i], name);
	return err == -ENOENT ? resolve(t, "", name) : err;
}

/* The entry's file name in by-id/. */
static int name_entry(struct target *t)
{
	struct buf name = { 0 };
	if (t->at != INDEX_NONE)
		index_add_name(&t->session->now.index, &name, t->at);
	free(t->entry);
	t->entry = buf_take(&name);
	return t->entry ? STATUS_OK : status_error(t->source, -ENOMEM);
}

/* Say what it is not, and where it was looked for. */
static int fail_entry(const struct target *t, const char *entry, int err)
{
	bool is_file = path_type_is(entry, S_IFREG);
	if (err == -EINVAL)
		return status_fail(entry, "several entries start with this");
	/* by-id/ or path/ in a mount. */
	if (err == -ENOENT && !t->source && path_type_is(entry, S_IFDIR))
		return status_fail(entry, "is a folder, and no entry");
	if (err != -ENOENT || (!t->source && !is_file && is_path(entry)))
		return status_error(entry, err);
	if (strstr(entry, "/by-id/"))
		return status_fail(entry, "no such session or entry");
	const char *what =
		is_file ? "is a file, and no entry" : "no such entry";
	if (!t->source)
		return status_failf(entry, "%s or session; " NOT_MOUNTED HOW_TO,
				    what);
	bool is_short = !is_file && strlen(entry) < SELECTION_ID_LEAST;
	return status_failf(
		entry, "%s %s %s%s", what, is_file ? "of" : "in",
		t->root ? t->root : t->source,
		is_short ? " (the start of an id has 4 characters or more)"
			 : "");
}

int target_open(struct target *t)
{
	int status = t->session ? STATUS_OK : open_session(t);
	if (status || !t->session)
		return status;
	const char *name = t->entry ? t->entry : t->subtree;
	if (!name) {
		t->at = session_head(t->session);
	} else if (*name) {
		int err = resolve(t, "by-id/", name);
		if (err)
			return fail_entry(t, name, err);
	}
	return name_entry(t);
}

int target_session(struct target *t, const char *path)
{
	int status = path ? target_find(t, path) : target_here(t);
	return status ? status : target_open(t);
}

int target_tell(struct target *t, bool always)
{
	struct buf line BUF_SCOPED = { 0 };
	size_t columns = terminal_columns(STDERR_FILENO);
	if (!t->is_remembered || (!always && !isatty(STDERR_FILENO)))
		return STATUS_OK;
	int status = t->session ? STATUS_OK : target_open(t);
	if (status)
		return status;
	buf_adds(&line, "sessfs: the session last opened here: ");
	int err = session_line_add(t->session,
				   columns > line.len ? columns - line.len
						      : SESSION_LINE_COLUMNS,
				   &line);
	buf_addc(&line, '\n');
	const char *text = err ? NULL : buf_cstr(&line);
	if (text)
		fputs(text, stderr);
	return text ? STATUS_OK : status_error(t->source, -ENOMEM);
}

/* By a path to it, or into its folder. */
static int find_by_path(struct target *t, const char *entry, int err)
{
	struct target found;
	int failed = target_look_wide(&found, entry);
	/* Then it is a path, or the part of an id. */
	if (failed == -ENOTCONN || failed == -EACCES || failed == -ENOTUNIQ)
		err = failed;
	bool is_one = !failed && !found.is_folder && found.source &&
		      (!found.root || found.entry || found.subtree ||
		       mounted_same_file(entry, found.root)) &&
		      target_is_one(&found, entry);
	if (!is_one) {
		const struct session_file folder = { .name = entry };
		bool is_folder = !failed && found.is_folder && err == -ENOENT;
		target_free(&found);
		return is_folder ? session_file_fail(&folder, -EISDIR)
				 : fail_entry(t, entry, err);
	}
	found.is_session = !found.entry && !found.subtree;
	int status = target_open(&found);
	target_free(t);
	*t = found;
	return status;
}

int target_entry(struct target *t, const char *entry, const char *path)
{
	char *root = NULL;
	char *dir = NULL;
	int err = 0;
	if (!entry)
		return target_session(t, path);
	*t = (struct target){ .at = INDEX_NONE };
	if (path)
		err = target_look_wide(t, path);
	else if (!is_path(entry) && find_here(&root, &dir) == 0)
		err = target_look(t, root);
	t->is_remembered = dir != NULL;
	free(dir);
	/* Its agent may have deleted it while the mount stays. */
	if (!path && !err && t->source && access(t->source, F_OK) < 0 &&
	    target_names_session(entry)) {
		free(root);
		target_free(t);
		return find_by_path(t, entry, -ENOENT);
	}
	int status = err ? status_error(path ? path : root, err) : STATUS_OK;
	free(root);
	if (!status && t->source)
		status = open_session(t);
	if (status)
		return status;
	err = t->session ? find_named(t, entry) : -ENOENT;
	if (!err)
		return name_entry(t);
	return find_by_path(t, entry, err);
}

int target_other(struct target *t, const char *entry, uint32_t *at)
{
	struct target found = { .at = INDEX_NONE };
	uint32_t before = t->at;
	int err = find_named(t, entry);
	if (err == -ENOENT && target_look_wide(&found, entry) == 0 &&
	    found.source && mounted_same_file(found.source, t->source)) {
		const char *name = found.entry ? found.entry : found.subtree;
		err = name ? resolve(t, "by-id/", name)
			   : resolve(t, "HEAD", "");
	}
	*at = t->at;
	t->at = before;
	target_free(&found);
	return err ? fail_entry(t, entry, err) : STATUS_OK;
}

/* A change, which is made while the writer has the session. */
typedef int change_fn(struct writer *w, struct span what);

/* With what the session says of a refusal of now, or what could be written. */
static int fail(const struct target *t, int err)
{
	const struct session *s = t->session;
	const struct unopened u = session_unopened(s);
	struct buf reason = { 0 };
	if (s->refused.reason)
		info_add_refusal(s, &reason);
	else
		buf_adds(&reason, strerror(-err));
	if (!s->refused.reason && err == -EROFS && u.why && u.base.n == 0)
		buf_addf(&reason, " (its agent would not open it: %s)", u.why);
	else if (!s->refused.reason && err == -EROFS)
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

void target_free(struct target *t)
{
	session_file_close(&t->file);
	free(t->source);
	free(t->shown);
	free(t->root);
	free(t->entry);
	free(t->subtree);
	*t = (struct target){ .at = INDEX_NONE };
}
