#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/dialects/registry.h"
#include "mount/cli/status.h"
#include "mount/mounts/mounted.h"
#include "mount/operands/target.h"

/* What is kept of a buffer; NULL without memory. */
static char *take(struct buf *b)
{
	const char *text = buf_cstr(b);
	char *copy = text ? strdup(text) : NULL;
	buf_free(b);
	return copy;
}

/* -- in a mount */

/*
 * How the user would write the root: what the given path begins with, if that
 * is it; nothing, if the working directory is.
 */
static char *spell_root(const char *given, const char *root)
{
	char *as = strdup(given);
	while (as && *as && !mounted_same_file(as, root)) {
		char *slash = strrchr(as, '/');
		if (slash && slash[strspn(slash, "/")])
			slash[slash == as] = '\0';
		else if (slash && slash != as)
			*slash = '\0';
		else
			*as = '\0';
	}
	if (as && !*as && !mounted_same_file(".", root)) {
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
	struct stat st;
	size_t n = strlen(given);
	static const char suffix[] = ".jsonl";
	t->source = strdup(given);
	t->is_folder = stat(given, &st) == 0 && S_ISDIR(st.st_mode);
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
	t->is_set = !err && t->is_folder && mounted_is_set(path);
	if (!err && t->is_folder && !t->is_set)
		err = mounted_is_folder(path, &is_mounted, &first);
	if (!err && is_mounted) {
		free(t->source);
		t->source = NULL;
		err = use_mounted_folder(t, path, first);
	}
	free(first);
	return err;
}

/* by-id/ and the start of an id, in a session that is mounted. */
static int use_start_of_id(struct target *t, const char *path)
{
	static const struct span by_id = SPAN("/by-id/");
	struct span name = span_last_part(span_of(path));
	struct span folder = { path, (size_t)(name.p - path) };
	if (!span_ends(folder, by_id))
		return -ENOENT;
	folder.n -= by_id.n;
	char *root = strndup(folder.p, folder.n);
	int err = root ? find_there(t, root) : -ENOMEM;
	if (!err)
		err = t->root && !t->entry ? use_within(t, path + folder.n)
					   : -ENOENT;
	free(root);
	return err;
}

int target_look(struct target *t, const char *path)
{
	struct stat st;
	*t = (struct target){ .at = INDEX_NONE };
	if (stat(path, &st) == 0)
		return find_there(t, path);
	int reason = -errno;
	char *step = whole_step(path);
	int err = step ? find_there(t, step) : use_start_of_id(t, path);
	if (err == -ENOENT && !step) {
		target_free(t);
		err = use_printed(t, path);
	}
	free(step);
	return err == -ENOENT ? reason : err;
}

int target_find(struct target *t, const char *path)
{
	int err = target_look(t, path);
	return err ? status_error(path, err) : STATUS_OK;
}
