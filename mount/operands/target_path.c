#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/pathname.h"
#include "core/dialects/registry.h"
#include "core/places/folder.h"
#include "core/session/file_name.h"
#include "mount/cli/path_type.h"
#include "mount/cli/status.h"
#include "mount/mounts/mounted.h"
#include "mount/operands/selection.h"
#include "mount/operands/target.h"

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

/* Takes over what was found. */
static int use_mounted(struct target *t, struct mounted *m, const char *given)
{
	t->root = m->root;
	t->source = m->source;
	t->file.how = m->how;
	m->root = NULL;
	m->source = NULL;
	bool is_subtree = m->in_tree && path_type_is(given, S_IFDIR);
	*(is_subtree ? &t->subtree : &t->entry) = m->entry;
	m->entry = NULL;
	t->shown = spell_root(given, t->root);
	return t->shown ? 0 : -ENOMEM;
}

/* A folder on the disk that is a mounted one: what that shows. */
static int use_mounted_folder(struct target *t, const char *path)
{
	struct mounted_folder f;
	int err = mounted_ask(&f, path);
	t->is_set = f.kind == MOUNTED_SET;
	if (f.kind == MOUNTED_FOLDER) {
		free(t->source);
		t->source = f.at;
		t->file.how.forced = f.how.forced;
		f.at = NULL;
	}
	mounted_folder_free(&f);
	return err;
}

/* -- on the disk */

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
	return buf_take(&plain);
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
		char *long_name = buf_take(&name);
		if (long_name && path_type_is(long_name, S_IFREG))
			*file = strdup(long_name);
		else if (path_type_is(names[i], S_IFREG))
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
	static const char up[] = "/" FILE_NAME_PARENT;
	size_t n = strlen(by_id);
	if (!*within)
		return 0;
	if (strncmp(within, by_id, n) != 0 || !within[n] || within[n] == '/')
		return -ENOENT;
	within += n;
	/* What is printed of a hit follows, or the way up. */
	n = strcspn(within, "/");
	while (strncmp(within + n, up, strlen(up)) == 0 &&
	       strchr("/", within[n + strlen(up)]))
		n += strlen(up);
	t->entry = strndup(within, n);
	return t->entry ? 0 : -ENOMEM;
}

static int use_disk(struct target *t, const char *given)
{
	struct span shown = span_of(given);
	struct span suffix = SPAN(".jsonl");
	t->source = strdup(given);
	t->is_folder = path_type_is(given, S_IFDIR);
	if (t->is_folder)
		shown = pathname_trim(shown);
	else if (span_ends(shown, suffix))
		shown.n -= suffix.n;
	t->shown = strndup(shown.p, shown.n);
	return t->source && t->shown ? 0 : -ENOMEM;
}

static int find_there(struct target *t, const char *path)
{
	struct mounted m;
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
		err = use_mounted_folder(t, path);
	return err;
}

/* A session's path and what is behind it, as it is printed or typed. */
static int use_printed(struct target *t, const char *given)
{
	char *as = strdup(given);
	int err = as ? 0 : -ENOMEM;
	while (!err) {
		err = file_printed_as(as, &t->source);
		if (!err && !t->source &&
		    mounted_kind_of(as) == MOUNTED_SESSION)
			err = find_there(t, as);
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
	free(t->shown);
	t->shown = as;
	return err;
}

int target_look(struct target *t, const char *path)
{
	struct stat st;
	*t = (struct target){ .at = INDEX_NONE };
	if (stat(path, &st) == 0)
		return find_there(t, path);
	int reason = -errno;
	int err = use_printed(t, path);
	return err == -ENOENT ? reason : err;
}

int target_look_wide(struct target *t, const char *path)
{
	const struct select_by all = { 0 };
	int err = target_look(t, path);
	if (err != -ENOENT)
		return err;
	target_free(t);
	/* ID or ID/by-id/ENTRY, of a session that is an agent's. */
	struct span id = { path, strcspn(path, "/") };
	err = selection_find_id(&all, id, &t->source);
	if (err)
		return err;
	t->shown = strndup(id.p, id.n);
	return t->shown ? use_within(t, path + id.n) : -ENOMEM;
}

bool target_is_one(const struct target *t, const char *word)
{
	const struct dialect *claimed;
	struct stat st;
	if (t->is_folder || t->root || t->entry ||
	    !path_type_is(word, S_IFREG) ||
	    span_ends(span_of(word), SPAN(".jsonl")))
		return !t->is_folder;
	return stat(word, &st) == 0 && st.st_size > 0 &&
	       folder_has_session(NULL, word, &dialect_registry, NULL,
				  &claimed) == 1;
}

bool target_names_session(const char *word)
{
	struct target t;
	if (!*word || span_ends(span_of(word), SPAN(".jsonl")))
		return *word;
	bool names = target_look_wide(&t, word) == 0 && target_is_one(&t, word);
	target_free(&t);
	return names;
}

int target_find(struct target *t, const char *path)
{
	int err = target_look_wide(t, path);
	return err ? status_error(path, err) : STATUS_OK;
}
