#include "mount/operands/selection.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "core/base/array.h"
#include "core/base/pathname.h"
#include "core/dialects/registry.h"
#include "core/session/kept.h"
#include "mount/cli/status.h"
#include "mount/mounts/mounted.h"
#include "mount/operands/source.h"

/* Takes the path over. */
static int add(struct group *g, char *path)
{
	int err = path ? array_add(&g->list, &g->cap, &g->n, path) : -ENOMEM;
	if (err)
		free(path);
	return err;
}

/* What is in one folder: sessions are added, and folders that may be groups. */
static int look(const char *folder, struct group *sessions,
		struct group *folders)
{
	DIR *dir = opendir(folder);
	const struct dirent *e;
	int err = 0;
	while (dir && !err && (e = readdir(dir))) {
		if (e->d_name[0] == '.' || e->d_type == DT_REG)
			continue;
		char *path = pathname_join(folder, e->d_name);
		enum mounted_kind kind =
			path ? mounted_kind_of(path) : MOUNTED_NOT;
		bool is = kind == MOUNTED_SESSION || kind == MOUNTED_FOLDER;
		if (!path || is || e->d_type == DT_DIR)
			err = add(is ? sessions : folders, path);
		else
			free(path);
	}
	if (dir)
		closedir(dir);
	return err;
}

int group_add(struct group *g, const char *path)
{
	struct group folders = { 0 };
	struct group none = { 0 };
	size_t before = g->n;
	int err = 0;
	struct statfs st;
	struct mounted m = { 0 };
	/* Other file systems are not looked through, nor what is in a session.
	 */
	bool may_be = statfs(path, &st) == 0 && st.f_type == FUSE_SUPER_MAGIC &&
		      mounted_kind_of(path) == MOUNTED_NOT &&
		      mounted_find(&m, path) == -ESRCH;
	mounted_free(&m);
	if (may_be) {
		err = look(path, g, &folders);
		/* by-project/ has groups in it; nothing is deeper. */
		for (size_t i = 0; i < folders.n && !err; i++)
			err = look(folders.list[i], g, &none);
	}
	if (!err && g->n == before)
		err = add(g, strdup(path));
	group_free(&folders);
	group_free(&none);
	return err;
}

void group_free(struct group *g)
{
	for (size_t i = 0; i < g->n; i++)
		free(g->list[i]);
	free(g->list);
	*g = (struct group){ 0 };
}

/* -- files */

static const struct agent_folder *folder_of(const struct selection *s,
					    const struct session_row *row)
{
	return s->folders.n > 0 ? &s->folders.list[row->source] : NULL;
}

static bool wants(void *data, const struct session_row *row)
{
	const struct selection *s = data;
	const struct select_by *by = s->by;
	const struct agent_folder *folder = folder_of(s, row);
	const struct dialect_home *home = folder ? folder->agent->home : NULL;
	struct span name = span_last_part(span_of(row->path));
	if (home && home->subagents && !by->of_entries &&
	    span_starts(name, span_of(home->subagents)))
		return false;
	if ((by->kept && !pathname_is_below(row->path, by->kept)) ||
	    (by->id && !select_has_id(by, name)))
		return false;
	/* What has been put back is dropped there by the next `sessfs keep`. */
	return !folder || !folder->kept ||
	       !kept_begins(row->shown + strlen(folder->path), row->path);
}

static bool reads(void *data, const struct session_row *row)
{
	const struct selection *s = data;
	(void)row;
	return !s->by->is_known;
}

const char *selection_called(const struct selection *s,
			     const struct session_row *row)
{
	bool is_path = row->is_source && s->folders.n == 0;
	if (is_path && s->by->called)
		return s->by->called;
	bool by_shown = !s->by->as_mounted || (is_path && *row->shown);
	return by_shown ? row->shown : row->path;
}

/* Files in a folder that are no sessions are left out. */
static void unread(void *data, const struct session_row *row)
{
	struct selection *s = data;
	bool expected = row->err == -EPROTO || row->err == -ENOENT ||
			row->err == -ELOOP;
	if (expected && !row->is_source)
		return;
	s->status = STATUS_FAILED;
	if (!s->by->is_quiet)
		(void)status_fail(selection_called(s, row),
				  row->reason ? row->reason
					      : strerror(-row->err));
}

/* -- rows */

/* Of the agents' sessions. */
static bool is_one_of_agents(const struct selection *s,
			     const struct session_row *row)
{
	const struct agent_folder *folder = folder_of(s, row);
	if (s->by->is_newest)
		return row->is_listed || !folder->shared;
	/* An id names a session, whoever wrote it. */
	if (row->summary.subagent && !s->by->id)
		return false;
	return row->is_listed &&
	       !span_eq(summary_column(&row->summary, SUMMARY_ENTRIES),
			SPAN("0"));
}

static bool is_row(const struct selection *s, const struct session_row *row)
{
	if (!row->is_wanted)
		return false;
	if (s->by->is_known && !row->is_listed)
		return !row->is_known;
	const struct agent_folder *f = folder_of(s, row);
	/* Of PATHs, as sessions.txt of a mount of several sources. */
	bool is_one = f ? is_one_of_agents(s, row)
			: row->is_listed && (row->is_source ||
					     !row->summary.subagent ||
					     !s->of_set[row->source]);
	if (!s->by->of_entries && !is_one)
		return false;
	/* A directory's own folder has its sessions alone. */
	bool asks = !f || f->shared || !s->by->dir_alone;
	return !row->is_listed ||
	       select_has(s->by, &row->summary, !f, asks ? s->dir : NULL);
}

/* -- the project that a directory is in */

static bool has_sessions(const struct selection *s, const char *dir, bool alone)
{
	const struct session_rows *all = &s->catalogue.lines;
	bool has = false;
	for (size_t i = 0; i < all->n && !has; i++)
		has = all->list[i]->is_listed && all->list[i]->is_wanted &&
		      select_is_in(&all->list[i]->summary, dir, alone);
	return has;
}

/* The directory, or else the nearest one above that has sessions itself. */
static int find_dir(struct selection *s, bool above)
{
	const char *dir = s->by->dir;
	s->dir = dir ? strdup(dir) : NULL;
	if (!s->dir)
		return dir ? -ENOMEM : 0;
	for (bool up = false; above && !has_sessions(s, s->dir, up);
	     up = true) {
		above = select_go_up(s->dir);
		if (!above)
			memcpy(s->dir, dir, strlen(dir) + 1);
	}
	return 0;
}

/* -- rows, in order */

/* By the time of their files, the newest first. */
static int by_mtime(const void *a, const void *b)
{
	const struct version *x = &(*(struct session_row *const *)a)->version;
	const struct version *y = &(*(struct session_row *const *)b)->version;
	int order = (x->mtime[0] < y->mtime[0]) - (x->mtime[0] > y->mtime[0]);
	return order ? order
		     : (x->mtime[1] < y->mtime[1]) -
			       (x->mtime[1] > y->mtime[1]);
}

/* By source, and then as they are shown. */
static int by_path(const void *a, const void *b)
{
	const struct session_row *x = *(struct session_row *const *)a;
	const struct session_row *y = *(struct session_row *const *)b;
	if (x->source != y->source)
		return x->source < y->source ? -1 : 1;
	return strcmp(x->shown, y->shown);
}

/* Rows without a summary come last: they are not in the catalogue's lines. */
static int take_rows(struct selection *s)
{
	const struct catalogue *c = &s->catalogue;
	const struct session_rows *all = &c->lines;
	bool others = s->by->is_newest || s->by->is_known;
	if (array_reserve(&s->rows.list, &s->rows.cap, 0, c->rows.n + 1) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < all->n; i++) {
		if (all->list[i]->is_listed && is_row(s, all->list[i]))
			s->rows.list[s->rows.n++] = all->list[i];
	}
	if (s->by->by_path && s->rows.n > 0)
		qsort(s->rows.list, s->rows.n, sizeof(*s->rows.list), by_path);
	size_t listed = s->rows.n;
	for (size_t i = 0; others && i < c->rows.n; i++) {
		if (!c->rows.list[i]->is_listed && is_row(s, c->rows.list[i]))
			s->rows.list[s->rows.n++] = c->rows.list[i];
	}
	if (s->rows.n > listed)
		qsort(s->rows.list + listed, s->rows.n - listed,
		      sizeof(*s->rows.list), by_mtime);
	return 0;
}

/* -- sources */

int selection_find_folders(const struct select_by *by, const char *dir,
			   enum agents_which which, struct agent_folders *f)
{
	const struct dialect *const all[] = { NULL };
	const struct dialect *const *agents = by->n_agents ? by->agents : all;
	size_t n = by->n_agents ? by->n_agents : 1;
	int err = 0;
	for (size_t i = 0; i < n && !err; i++)
		err = agent_folders_find(f, &dialect_registry, agents[i], dir,
					 which);
	return err;
}

static int add_agents(struct selection *s)
{
	const struct select_by *by = s->by;
	struct agent_folders *f = &s->folders;
	int err = selection_find_folders(by, by->dir_alone ? by->dir : NULL,
					 AGENTS_THERE, f);
	for (size_t i = 0; i < f->n && !err; i++) {
		char *real = realpath(f->list[i].path, NULL);
		err = real ? catalogue_add(&s->catalogue, real, f->list[i].path)
			   : -ENOMEM;
		free(real);
	}
	return err ? status_error("sessions", err) : STATUS_OK;
}

/* A name that stands before others has no slashes at its end. */
static char *without_slashes(const char *name)
{
	struct span path = pathname_trim(span_of(name));
	return strndup(path.p, path.n);
}

/*
 * What is shown of a PATH. In a mount of one folder there is nothing before the
 * names; and what a mount shows has another path in it.
 */
static char *shown_of(const struct selection *s, const char *name,
		      const char *path, bool alone)
{
	struct stat a;
	struct stat b;
	bool there = stat(name, &a) == 0 && stat(path, &b) == 0;
	if (s->by->as_mounted)
		return s->by->name ? without_slashes(s->by->name)
		       : alone && there && S_ISDIR(b.st_mode)
			       ? strdup("")
			       : without_slashes(name);
	return strdup(there && (a.st_dev != b.st_dev || a.st_ino != b.st_ino)
			      ? path
			      : name);
}

static int add_source(struct selection *s, const char *path, char *shown,
		      bool of_set)
{
	bool *more = realloc(s->of_set, s->catalogue.n_sources + 1);
	if (more)
		s->of_set = more;
	int err = more && shown ? catalogue_add(&s->catalogue, path, shown)
				: -ENOMEM;
	if (!err)
		more[s->catalogue.n_sources - 1] = of_set;
	free(shown);
	return err;
}

static int add_path(struct selection *s, const char *name, bool alone)
{
	char *path;
	int err = source_path(name, &path);
	if (!err)
		err = add_source(s, path, shown_of(s, name, path, alone),
				 false);
	free(path);
	return err ? status_error(name, err) : STATUS_OK;
}

/* Of a mount of several sources. */
static int add_mounted_set(struct selection *s, const char *root, bool alone)
{
	const struct select_by *by = s->by;
	const char *above = by->name ? by->name : alone ? "" : root;
	struct source_set set = { 0 };
	int status = source_set_mounted(&set, root);
	for (size_t i = 0; i < set.n; i++) {
		const struct set_source *of = &set.list[i];
		char *shown = !by->as_mounted ? strdup(of->path)
			      : *above	      ? pathname_join(above, of->name)
					      : strdup(of->name);
		int err = add_source(s, of->path, shown, true);
		if (err)
			status = status_error(root, err);
	}
	set_free(&set);
	return status;
}

static int add_paths(struct selection *s, char *const *paths, size_t n)
{
	struct group g = { 0 };
	int err = 0;
	for (size_t i = 0; i < n && !err; i++)
		err = group_add(&g, paths[i]);
	for (size_t i = 0; i < g.n && !err; i++) {
		int status = mounted_kind_of(g.list[i]) == MOUNTED_SET
				     ? add_mounted_set(s, g.list[i], g.n == 1)
				     : add_path(s, g.list[i], g.n == 1);
		if (status)
			s->status = status;
	}
	group_free(&g);
	return err ? status_error("sessions", err) : STATUS_OK;
}

/* Say in one line that compressed sessions of a source are not read, if any. */
static void tell_compressed(const struct selection *s,
			    const struct catalogue_source *of)
{
	const struct compressed *c = &of->compressed;
	const char *shown = *of->shown ? of->shown : of->path;
	if (c->n > 0)
		(void)status_failf(s->by->called ? s->by->called : shown,
				   "%u compressed %s not read: %s%s (zstd -d "
				   "makes it readable)",
				   c->n,
				   c->n == 1 ? "session is" : "sessions are",
				   c->one, c->n > 1 ? " and others" : "");
}

int selection_make(struct selection *s, const struct select_by *by,
		   char *const *paths, size_t n)
{
	s->by = by;
	s->catalogue =
		(struct catalogue){ .dialects = &dialect_registry,
				    .forced = by->forced,
				    .as_mounted = by->as_mounted,
				    .keeps_repeated = by->as_mounted && n > 0,
				    .with_runs = by->of_entries,
				    .data = s,
				    .wants = wants,
				    .reads = reads,
				    .unread = unread };
	int status = n > 0 ? add_paths(s, paths, n) : add_agents(s);
	if (status || s->catalogue.n_sources == 0)
		return status;
	int err = catalogue_refresh(&s->catalogue);
	for (size_t i = 0; i < s->catalogue.n_sources && !by->is_quiet; i++)
		tell_compressed(s, &s->catalogue.sources[i]);
	if (!err)
		err = find_dir(s, n == 0 && !by->dir_alone);
	if (!err)
		err = take_rows(s);
	if (err)
		return status_error("sessions", err);
	if (s->dir && strcmp(s->dir, by->dir) != 0 && !by->is_quiet)
		(void)status_failf(by->dir,
				   "no sessions of this directory; those of %s",
				   s->dir);
	return STATUS_OK;
}

void selection_free(struct selection *s)
{
	free(s->rows.list);
	catalogue_free(&s->catalogue);
	agent_folders_free(&s->folders);
	free(s->of_set);
	free(s->dir);
}

int selection_find_id(const struct select_by *by, struct span id, char **path)
{
	struct select_by own = *by;
	struct selection s = { 0 };
	char *text = strndup(id.p, id.n);
	bool is_part = id.n >= SELECTION_ID_LEAST;
	for (size_t i = 0; i < id.n && is_part; i++)
		is_part = isalnum((unsigned char)id.p[i]) || id.p[i] == '-' ||
			  id.p[i] == '_';
	own.id = text;
	own.is_quiet = true;
	*path = NULL;
	int err = !text ? -ENOMEM : is_part ? 0 : -ENOENT;
	if (!err && selection_make(&s, &own, NULL, 0))
		err = -ENOENT;
	if (!err && s.rows.n != 1)
		err = s.rows.n == 0 ? -ENOENT : -ENOTUNIQ;
	if (!err && !(*path = strdup(s.rows.list[0]->path)))
		err = -ENOMEM;
	selection_free(&s);
	free(text);
	return err;
}
