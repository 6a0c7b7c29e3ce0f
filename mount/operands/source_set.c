#include "mount/operands/source_set.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/base/path_names.h"
#include "core/base/pathname.h"
#include "core/dialects/registry.h"
#include "core/places/agents.h"
#include "fs/tree/node_kinds.h"
#include "mount/cli/status.h"
#include "mount/mounts/mounted.h"
#include "mount/operands/source.h"

static const struct span suffix = SPAN(".jsonl");

/* Paths that are being named. */
struct naming {
	struct path_name *names;
	const char **prefixes; /* with a "+", before a name; or NULL */
	char **paths;
	size_t n;
};

static int no_memory(void)
{
	return status_fail("sources", "out of memory");
}

static int naming_begin(struct naming *m, size_t n)
{
	*m = (struct naming){ .names = calloc(n + 1, sizeof(*m->names)),
			      .prefixes = calloc(n + 1, sizeof(*m->prefixes)),
			      .paths = calloc(n + 1, sizeof(*m->paths)) };
	return m->names && m->prefixes && m->paths ? STATUS_OK : no_memory();
}

static void naming_end(struct naming *m)
{
	for (size_t i = 0; i < m->n; i++) {
		buf_free(&m->names[i].name);
		free(m->paths[i]);
	}
	free(m->names);
	free(m->prefixes);
	free(m->paths);
}

static bool is_named(const struct naming *m, const char *path)
{
	for (size_t i = 0; i < m->n; i++) {
		if (strcmp(m->paths[i], path) == 0)
			return true;
	}
	return false;
}

/* Takes over the path. */
static void add_path(struct naming *m, char *path, const char *prefix)
{
	struct span named = span_of(path);
	if (span_ends(named, suffix))
		named.n -= suffix.n;
	m->names[m->n].path = named;
	m->prefixes[m->n] = prefix;
	m->paths[m->n++] = path;
}

#define N_OWN_NAMES (KIND_IGNORE - KIND_FOLDER)

/* What else is in the root of the mount: returns how many that are. */
static size_t add_own_names(struct span own[N_OWN_NAMES])
{
	size_t n = 0;
	for (enum node_kind k = KIND_FOLDER + 1; k <= KIND_IGNORE; k++) {
		if (node_kinds[k].name)
			own[n++] = span_of(node_kinds[k].name);
	}
	return n;
}

/* Name the paths, and add them to the set. */
static int add_named(struct source_set *set, struct naming *m)
{
	struct span own[N_OWN_NAMES];
	const struct path_names_taken taken = { own, add_own_names(own) };
	int err = path_names_make(m->names, m->n, &taken);
	for (size_t i = 0; i < m->n && !err; i++) {
		struct buf name = { 0 };
		buf_adds(&name, m->prefixes[i] ? m->prefixes[i] : "");
		buf_adds(&name, m->prefixes[i] ? "+" : "");
		buf_add(&name, buf_span(&m->names[i].name));
		err = name.failed ? -ENOMEM
				  : set_add(set, buf_span(&name), m->paths[i]);
		buf_free(&name);
	}
	return err ? no_memory() : STATUS_OK;
}

/* The path without symlinks, as far as it exists. NULL without memory. */
static char *resolve(const char *path)
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

static int add_agents(struct source_set *set, const struct agent_folders *found,
		      struct naming *more)
{
	for (size_t i = 0; i < found->n; i++) {
		const struct agent_folder *f = &found->list[i];
		char *path = resolve(f->path);
		if (!path)
			return no_memory();
		bool again = is_named(more, path);
		for (size_t k = 0; k < set->n; k++)
			again = again || strcmp(set->list[k].path, path) == 0;
		if (again) {
			free(path);
		} else if (i > 0 && f->agent == f[-1].agent) {
			add_path(more, path, f->kept ? "kept" : f->agent->name);
		} else {
			int err = set_add(set, span_of(f->agent->name), path);
			free(path);
			if (err)
				return no_memory();
		}
	}
	return add_named(set, more);
}

int source_set_agents(struct source_set *set)
{
	struct agent_folders found = { 0 };
	struct naming more = { 0 };
	int err = agent_folders_find(&found, &dialect_registry, NULL, NULL,
				     AGENTS_ANY);
	int status =
		err ? status_error("--all", err) : naming_begin(&more, found.n);
	if (!status)
		status = add_agents(set, &found, &more);
	naming_end(&more);
	agent_folders_free(&found);
	return status;
}

/* A session that can't be read is reported now. */
static int check_source(const struct options *o, const char *name)
{
	struct places p = { 0 };
	const struct options quick = { .dialect = o->dialect,
				       .keep = 1,
				       .read_only = true };
	int status = source_open(&quick, name, NULL, &p);
	places_free(&p);
	return status;
}

int source_set_named(struct source_set *set, const struct options *o, size_t n)
{
	struct naming m;
	int status = naming_begin(&m, n);
	for (size_t i = 0; i < n && !status; i++) {
		const char *name = o->names[i];
		char *path = realpath(name, NULL);
		if (!path)
			status = status_error(name, -errno);
		else if (is_named(&m, path))
			status = status_fail(name, "the SOURCE is named twice");
		else
			status = check_source(o, name);
		if (status)
			free(path);
		else
			add_path(&m, path, NULL);
	}
	if (!status)
		status = add_named(set, &m);
	naming_end(&m);
	return status;
}

int source_set_selected(struct source_set *set, const struct session_rows *rows)
{
	struct naming m;
	int status = naming_begin(&m, rows->n);
	for (size_t i = 0; i < rows->n && !status; i++) {
		char *path = strdup(rows->list[i]->path);
		if (path)
			add_path(&m, path, NULL);
		else
			status = no_memory();
	}
	if (!status)
		status = add_named(set, &m);
	naming_end(&m);
	return status;
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
