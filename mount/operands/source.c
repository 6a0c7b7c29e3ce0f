#include "mount/operands/source.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/path_names.h"
#include "core/base/pathname.h"
#include "core/dialects/registry.h"
#include "core/places/agents.h"
#include "fs/tree/node_kinds.h"
#include "mount/cli/path_type.h"
#include "mount/cli/status.h"
#include "mount/cli/terminal.h"
#include "mount/mounts/mounted.h"
#include "mount/operands/target.h"

int source_path(const char *name, char **path)
{
	struct stat st;
	struct target t = { 0 };
	bool is_file = stat(name, &st) == 0 && !S_ISDIR(st.st_mode);
	int err = is_file ? 0 : target_look_wide(&t, name);
	*path = err ? NULL : realpath(is_file ? name : t.source, NULL);
	if (!err && !*path)
		err = -errno;
	target_free(&t);
	return err;
}

char *source_directory(const char *name)
{
	char *path = realpath(name, NULL);
	if (path && path_type_is(path, S_IFDIR))
		return path;
	if (path || errno == ENOENT || errno == ENOTDIR)
		(void)status_fail(name, "no such directory");
	else
		(void)status_error(name, -errno);
	free(path);
	return NULL;
}

static struct session_opening opening_of(const struct options *o)
{
	return (struct session_opening){ .dialects = &dialect_registry,
					 .forced = o->dialect,
					 .read_only = o->read_only,
					 .force = o->force };
}

int source_open(const struct options *o, const char *name,
		const struct places_attachment *attachment, struct places *p)
{
	struct progress progress = { 0 };
	struct session_opening opening = opening_of(o);
	const char *reason = NULL;
	char *path;
	int err = source_path(name, &path);
	if (err)
		return status_error(name, err);
	if (mounted_kind_of(path) == MOUNTED_SET) {
		struct source_set set = { 0 };
		int status = source_set_mounted(&set, path);
		free(path);
		if (!status)
			return source_open_set(o, &set, attachment, p);
		set_free(&set);
		return status;
	}
	/* Its mount is read-only for good, whatever becomes of the mode. */
	if (path_type_is(path, S_IFREG) && access(path, W_OK) < 0)
		opening.read_only = true;
	opening.progress = progress_at;
	opening.progress_data = &progress;
	progress_start(&progress, "reading", path, PROGRESS_DELAY);
	err = places_init(p, path, &opening, o->keep, attachment, &reason);
	progress_end(&progress);
	/* A folder's sessions are read later; only an export shows that. */
	p->opening.progress = NULL;
	p->color = o->color;
	p->columns = o->columns;
	free(path);
	return err ? status_fail(name, reason ? reason : strerror(-err))
		   : STATUS_OK;
}

int source_open_set(const struct options *o, struct source_set *set,
		    const struct places_attachment *attachment,
		    struct places *p)
{
	const struct session_opening opening = opening_of(o);
	int err = places_init_set(p, set, &opening, o->keep, attachment);
	p->color = o->color;
	p->columns = o->columns;
	return err ? status_error("sources", err) : STATUS_OK;
}

/* -- sets of them */

static const struct span suffix = SPAN(".jsonl");

static int no_memory(void)
{
	return status_fail("sources", "out of memory");
}

static bool has_path(const struct source_set *set, const char *path)
{
	for (size_t i = 0; i < set->n; i++) {
		if (strcmp(set->list[i].path, path) == 0)
			return true;
	}
	return false;
}

/* A source that has no name yet, or one that goes on behind a "+". */
static bool is_unnamed(const struct set_source *of)
{
	return !*of->name || span_ends(span_of(of->name), SPAN("+"));
}

/* Name the sources that have no name yet. */
static int name_rest(struct source_set *set)
{
	struct span own[KIND_IGNORE - KIND_FOLDER];
	struct path_name *names = calloc(set->n + 1, sizeof(*names));
	size_t n = 0;
	/* What else is in the root of the mount. */
	for (enum node_kind k = KIND_FOLDER + 1; k <= KIND_IGNORE; k++) {
		if (node_kinds[k].name)
			own[n++] = span_of(node_kinds[k].name);
	}
	const struct path_names_taken taken = { own, n };
	n = 0;
	for (size_t i = 0; i < set->n && names; i++) {
		struct span path = span_of(set->list[i].path);
		if (span_ends(path, suffix))
			path.n -= suffix.n;
		if (is_unnamed(&set->list[i]))
			names[n++].path = path;
	}
	int err = names ? path_names_make(names, n, &taken) : -ENOMEM;
	n = 0;
	for (size_t i = 0; i < set->n && names; i++) {
		struct set_source *of = &set->list[i];
		if (!is_unnamed(of))
			continue;
		struct buf *name = &names[n++].name;
		char *whole = NULL;
		if (!err && asprintf(&whole, "%s%.*s", of->name, (int)name->len,
				     name->data) < 0)
			err = -ENOMEM;
		if (!err) {
			free(of->name);
			of->name = whole;
		}
		buf_free(name);
	}
	free(names);
	return err ? no_memory() : STATUS_OK;
}

char *source_resolve(const char *path)
{
	size_t n = strlen(path);
	while (n > 0) {
		char *start = strndup(path, n);
		char *real = start ? realpath(start, NULL) : NULL;
		free(start);
		if (!start)
			return NULL;
		const char *rest = path + n + (path[n] == '/');
		char *whole = real && *rest ? pathname_join(real, rest) : real;
		if (whole != real)
			free(real);
		if (real)
			return whole;
		while (n > 0 && path[--n] != '/')
			;
	}
	return strdup(path);
}

/* Add the first folder of each agent, or the others, which have no name yet. */
static int add_folders(struct source_set *set,
		       const struct agent_folders *found, bool first)
{
	int err = 0;
	for (size_t i = 0; i < found->n && !err; i++) {
		const struct agent_folder *f = &found->list[i];
		char prefix[64];
		if (first != (i == 0 || f->agent != f[-1].agent))
			continue;
		snprintf(prefix, sizeof(prefix), first ? "%s" : "%s+",
			 f->kept && !first ? "kept" : f->agent->name);
		char *path = source_resolve(f->path);
		err = path ? 0 : -ENOMEM;
		if (!err && !has_path(set, path))
			err = set_add(set, span_of(prefix), path);
		free(path);
	}
	return err;
}

int source_set_agents(struct source_set *set)
{
	struct agent_folders found = { 0 };
	int err = agent_folders_find(&found, &dialect_registry, NULL, NULL,
				     AGENTS_ANY);
	int status = err ? status_error("--all", err) : STATUS_OK;
	if (!status &&
	    (add_folders(set, &found, true) || add_folders(set, &found, false)))
		status = no_memory();
	agent_folders_free(&found);
	return status ? status : name_rest(set);
}

int source_set_named(struct source_set *set, const struct options *o, size_t n)
{
	int status = STATUS_OK;
	const struct options quick = { .dialect = o->dialect,
				       .keep = 1,
				       .read_only = true };
	for (size_t i = 0; i < n && !status; i++) {
		struct places p = { 0 };
		const char *name = o->names[i];
		char *path = realpath(name, NULL);
		if (!path)
			status = status_error(name, -errno);
		else if (has_path(set, path))
			status = status_fail(name, "the SOURCE is named twice");
		else /* A session that can't be read is reported now. */
			status = source_open(&quick, name, NULL, &p);
		places_free(&p);
		if (!status && set_add(set, SPAN(""), path))
			status = no_memory();
		free(path);
	}
	return status ? status : name_rest(set);
}

int source_set_selected(struct source_set *set, const struct session_rows *rows)
{
	for (size_t i = 0; i < rows->n; i++) {
		if (set_add(set, SPAN(""), rows->list[i]->path))
			return no_memory();
	}
	return name_rest(set);
}

/* What a name in the root of the mount is, unless it is one of its own. */
static int add_mounted(struct source_set *set, const char *root,
		       const char *name)
{
	struct mounted_folder f = { 0 };
	char *path = pathname_join(root, name);
	int err = path ? mounted_ask(&f, path) : -ENOMEM;
	if (!err && mounted_has_path(&f) && access(f.at, F_OK) == 0)
		err = set_add(set, span_of(name), f.at);
	mounted_folder_free(&f);
	free(path);
	return err;
}

int source_set_mounted(struct source_set *set, const char *root)
{
	DIR *dir = opendir(root);
	int err = dir ? 0 : -errno;
	for (const struct dirent *d = dir ? readdir(dir) : NULL; d && !err;
	     d = readdir(dir)) {
		if (d->d_name[0] != '.')
			err = add_mounted(set, root, d->d_name);
	}
	if (dir)
		closedir(dir);
	return err ? status_error(root, err) : STATUS_OK;
}
