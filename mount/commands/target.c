#include "mount/commands/target.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/pathname.h"
#include "core/dialects/registry.h"
#include "core/session/file_name.h"
#include "fs/tree/head_target.h"
#include "mount/commands/mounted.h"
#include "mount/commands/mounts.h"
#include "mount/commands/progress.h"
#include "mount/commands/status.h"

#define NOT_MOUNTED "not in a mounted session"

static int no_memory(void)
{
	return status_error("target", -ENOMEM);
}

/* What is kept of a buffer; NULL without memory. */
static char *take(struct buf *b)
{
	const char *text = buf_cstr(b);
	char *copy = text ? strdup(text) : NULL;
	buf_free(b);
	return copy;
}

/* -- in a mount */

static bool same_file(const char *a, const char *b)
{
	struct stat x;
	struct stat y;
	return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev &&
	       x.st_ino == y.st_ino;
}

/*
 * How the user would write the root: what the given path begins with, if that
 * is it; nothing, if the working directory is.
 */
static char *spell_root(const char *given, const char *root)
{
	char *as = strdup(given);
	while (as && *as && !same_file(as, root)) {
		char *slash = strrchr(as, '/');
		if (slash && slash[strspn(slash, "/")])
			slash[slash == as] = '\0';
		else if (slash && slash != as)
			*slash = '\0';
		else
			*as = '\0';
	}
	if (as && !*as && !same_file(".", root)) {
		free(as);
		return strdup(root);
	}
	return as;
}

/* The dialect that the mount was told; NULL: the lines say it. */
static const struct dialect *forced_dialect(const char *root)
{
	static const char option[] = "-o dialect";
	struct buf why = { 0 };
	struct buf name = { 0 };
	const struct dialect *d = NULL;
	if (mounted_info(root, "dialect-why", &why) == 0 &&
	    span_starts(buf_span(&why), span_of(option)) &&
	    mounted_info(root, "dialect", &name) == 0)
		d = dialect_named(buf_span(&name));
	buf_free(&why);
	buf_free(&name);
	return d;
}

static int source_of_mount(const char *root, char **source)
{
	struct buf file = { 0 };
	int err = mounted_info(root, "file", &file);
	*source = err ? NULL : take(&file);
	buf_free(&file);
	return err ? err : *source ? 0 : -ENOMEM;
}

/* Takes over what was found. */
static int use_mounted(struct target *t, struct mounted *m, const char *given)
{
	struct stat st;
	t->root = m->root;
	m->root = NULL;
	bool is_subtree =
		m->in_tree && stat(given, &st) == 0 && S_ISDIR(st.st_mode);
	*(is_subtree ? &t->subtree : &t->entry) = m->entry;
	m->entry = NULL;
	int err = source_of_mount(t->root, &t->source);
	if (err)
		return err;
	t->dialect = forced_dialect(t->root);
	t->shown = spell_root(given, t->root);
	return t->shown ? 0 : -ENOMEM;
}

/* The folder that a mounted one shows, from where a session in it is. */
static int use_mounted_folder(struct target *t, const char *path,
			      const char *first)
{
	if (!first)
		return 0;
	int err = source_of_mount(first, &t->source);
	const char *within = first + strlen(path);
	for (; !err && *within; within += strcspn(within, "/")) {
		within += strspn(within, "/");
		char *slash = *within ? strrchr(t->source, '/') : NULL;
		if (slash)
			slash[slash == t->source] = '\0';
	}
	return err;
}

/* -- on the disk */

static bool is_file(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* A folder beside a session of the same name has %2F behind it. */
static char *without_escapes(const char *path)
{
	struct buf plain = { 0 };
	for (const char *p = path; *p; p++) {
		if (strncmp(p, "%2F/", 4) == 0)
			p += 2;
		else
			buf_addc(&plain, *p);
	}
	return take(&plain);
}

/* The session file that is printed as `as`; *file is NULL if there is none. */
static int file_printed_as(const char *as, char **file)
{
	char *plain = without_escapes(as);
	const char *const names[] = { as, plain };
	*file = NULL;
	for (size_t i = 0; i < 2 && plain && !*file; i++) {
		struct buf name = { 0 };
		buf_addf(&name, "%s.jsonl", names[i]);
		char *long_name = take(&name);
		if (long_name && is_file(long_name))
			*file = strdup(long_name);
		else if (is_file(names[i]))
			*file = strdup(names[i]);
		free(long_name);
	}
	free(plain);
	return plain ? 0 : -ENOMEM;
}

/* What is behind the name of a session: by-id/ID, or nothing. */
static int use_within(struct target *t, const char *within)
{
	static const char by_id[] = "/by-id/";
	size_t n = strlen(by_id);
	if (!*within)
		return 0;
	if (strncmp(within, by_id, n) != 0 || !within[n] || within[n] == '/')
		return -ENOENT;
	t->entry = strndup(within + n, strcspn(within + n, "/"));
	return t->entry ? 0 : -ENOMEM;
}

/* A path as it is printed for a session that is not mounted. */
static int use_printed(struct target *t, const char *given)
{
	char *as = strdup(given);
	int err = as ? 0 : -ENOMEM;
	while (!err) {
		err = file_printed_as(as, &t->source);
		if (err || t->source)
			break;
		char *slash = strrchr(as, '/');
		if (!slash || slash == as)
			err = -ENOENT;
		else
			*slash = '\0';
	}
	if (!err)
		err = use_within(t, given + strlen(as));
	t->shown = as;
	return err;
}

static int use_disk(struct target *t, const char *given)
{
	size_t n = strlen(given);
	static const char suffix[] = ".jsonl";
	t->source = strdup(given);
	t->is_folder = !is_file(given);
	while (t->is_folder && n > 1 && given[n - 1] == '/')
		n--;
	if (!t->is_folder &&
	    span_ends((struct span){ given, n }, span_of(suffix)))
		n -= strlen(suffix);
	t->shown = strndup(given, n);
	return t->source && t->shown ? 0 : -ENOMEM;
}

/* path/0007 stands for path/0007-user-…; NULL: there is no such step. */
static char *whole_step(const char *path)
{
	struct buf pattern = { 0 };
	struct span folder = { path, strlen(path) };
	struct span name = span_last_part(folder);
	folder.n -= name.n;
	buf_add(&pattern, folder);
	char *at = take(&pattern);
	char *found = at && span_ends(folder, SPAN("path/")) && name.n > 0
			      ? mounted_step(at, name)
			      : NULL;
	free(at);
	return found;
}

static int find_there(struct target *t, const char *path)
{
	struct mounted m;
	bool is_mounted = false;
	char *first = NULL;
	int err = mounted_find(&m, path);
	if (!err) {
		err = use_mounted(t, &m, path);
		mounted_free(&m);
		return err;
	}
	mounted_free(&m);
	if (err != -ESRCH)
		return err;
	err = use_disk(t, path);
	if (!err && t->is_folder)
		err = mounted_is_folder(path, &is_mounted, &first);
	if (!err && is_mounted) {
		free(t->source);
		t->source = NULL;
		err = use_mounted_folder(t, path, first);
	}
	free(first);
	return err;
}

static int find(struct target *t, const char *path)
{
	struct stat st;
	*t = (struct target){ .at = INDEX_NONE };
	if (stat(path, &st) == 0)
		return find_there(t, path);
	int reason = -errno;
	char *step = whole_step(path);
	int err = step ? find_there(t, step) : use_printed(t, path);
	free(step);
	return err == -ENOENT ? reason : err;
}

int target_find(struct target *t, const char *path)
{
	int err = find(t, path);
	return err ? status_error(path, err) : STATUS_OK;
}

/* -- here */

/* The root here; -ESRCH: there is none. *dir is the working directory. */
static int find_here(char **root, char **dir)
{
	struct mounted m;
	char *mnt = NULL;
	int err = mounted_find(&m, ".");
	if (!err) {
		*root = m.root;
		m.root = NULL;
	}
	mounted_free(&m);
	if (err != -ESRCH)
		return err;
	*dir = realpath(".", NULL);
	err = *dir ? mounts_last(*dir, &mnt) : -errno;
	if (!err)
		err = mounted_find(&m, mnt);
	if (!err && mnt) {
		*root = m.root;
		m.root = NULL;
		mounted_free(&m);
	}
	free(mnt);
	return err == -ENOENT || err == -ENOTCONN ? -ESRCH : err;
}

static int fail_here(int err, const char *dir)
{
	if (err != -ESRCH)
		return status_error(dir ? dir : ".", err);
	return status_fail(dir ? dir : ".", NOT_MOUNTED
			   ", and sessfs open has printed none for it");
}

int target_here(struct target *t)
{
	char *root = NULL;
	char *dir = NULL;
	*t = (struct target){ .at = INDEX_NONE };
	int err = find_here(&root, &dir);
	if (!err)
		err = find_there(t, root);
	int status = err ? fail_here(err, dir) : STATUS_OK;
	free(root);
	free(dir);
	return status;
}

int target_root(char **root, const char *path)
{
	struct mounted m;
	char *dir = NULL;
	*root = NULL;
	int err = path ? mounted_find(&m, path) : find_here(root, &dir);
	int status = STATUS_OK;
	if (path) {
		*root = err ? NULL : m.root;
		if (!err)
			m.root = NULL;
		mounted_free(&m);
	}
	if (err && path)
		status = err == -ESRCH ? status_fail(path, NOT_MOUNTED)
				       : status_error(path, err);
	else if (err)
		status = fail_here(err, dir);
	free(dir);
	return status;
}

/* -- entries */

/* Open and enter the session. */
static int open_session(struct target *t)
{
	struct progress progress = { 0 };
	const struct session_opening how = { .dialects = &dialect_registry,
					     .forced = t->dialect,
					     .read_only = true,
					     .progress = progress_at,
					     .progress_data = &progress };
	const char *reason = NULL;
	struct session *s = NULL;
	char *path = t->source ? realpath(t->source, NULL) : NULL;
	if (!path)
		return status_error(t->source ? t->source : t->shown, -errno);
	progress_start(&progress, "reading", path, PROGRESS_DELAY);
	int err = session_open(&s, path, &how, &reason);
	progress_end(&progress);
	free(path);
	if (!err) {
		err = session_enter(s);
		if (!err)
			t->session = s;
		else
			session_free(s);
	}
	if (err == -EISDIR)
		reason = "is a folder of sessions, not one";
	return err ? status_fail(t->source, reason ? reason : strerror(-err))
		   : STATUS_OK;
}

/* As a target of HEAD, below a folder of the session or its root. */
static int resolve(struct target *t, const char *folder, const char *name)
{
	struct buf target = { 0 };
	buf_addf(&target, "%s%s", folder, name);
	int err = buf_error(&target);
	if (!err)
		err = target_resolve_below(t->session, buf_span(&target),
					   SPAN(""), &t->at);
	buf_free(&target);
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
	for (size_t i = 0; i < 2 && err == -ENOENT && !strchr(name, '/'); i++)
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
	t->entry = take(&name);
	return t->entry ? STATUS_OK : no_memory();
}

int target_open(struct target *t)
{
	int status = t->session ? STATUS_OK : open_session(t);
	if (status)
		return status;
	const char *name = t->entry ? t->entry : t->subtree;
	if (!name) {
		t->at = session_head(t->session);
	} else if (*name) {
		int err = resolve(t, "by-id/", name);
		if (err)
			return err == -ENOENT
				       ? status_fail(name, "no such entry")
				       : status_error(name, err);
	}
	return name_entry(t);
}

/* Where an entry was looked for. */
static int fail_entry(const struct target *t, const char *entry, int err)
{
	struct buf reason = { 0 };
	if (err == -EINVAL)
		buf_adds(&reason, "several entries start with this");
	else if (err != -ENOENT)
		buf_adds(&reason, strerror(-err));
	else if (t->source)
		buf_addf(&reason, "no such entry in %s",
			 t->root ? t->root : t->source);
	else
		buf_adds(&reason, "no such entry; " NOT_MOUNTED);
	const char *text = buf_cstr(&reason);
	int status = status_fail(entry, text ? text : "no such entry");
	buf_free(&reason);
	return status;
}

/* By a path to it, or into its folder. */
static int find_by_path(struct target *t, const char *entry, int err)
{
	struct target found;
	int failed = find(&found, entry);
	bool is_one = !failed && !found.is_folder && found.source &&
		      (!found.root || found.entry || found.subtree ||
		       same_file(entry, found.root));
	if (!is_one) {
		target_free(&found);
		return fail_entry(t, entry, err);
	}
	target_free(t);
	*t = found;
	return target_open(t);
}

int target_entry(struct target *t, const char *entry, const char *path)
{
	char *root = NULL;
	char *dir = NULL;
	int err = 0;
	*t = (struct target){ .at = INDEX_NONE };
	if (path)
		err = find(t, path);
	else if (!is_path(entry) && find_here(&root, &dir) == 0)
		err = find_there(t, root);
	free(dir);
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

void target_free(struct target *t)
{
	if (t->session) {
		session_leave(t->session);
		session_free(t->session);
	}
	free(t->source);
	free(t->shown);
	free(t->root);
	free(t->entry);
	free(t->subtree);
	*t = (struct target){ .at = INDEX_NONE };
}
