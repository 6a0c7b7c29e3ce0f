#include "mount/commands/list.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/array.h"
#include "core/base/pathname.h"
#include "core/dialects/registry.h"
#include "core/file/folder_index.h"
#include "core/file/gate.h"
#include "core/file/version.h"
#include "core/file/whole.h"
#include "core/places/folder.h"
#include "core/show/summaries.h"
#include "core/show/usage.h"
#include "mount/cli/status.h"
#include "mount/commands/agent_sessions.h"
#include "mount/commands/commands.h"
#include "mount/mounts/mounted.h"
#include "mount/operands/source.h"
#include "mount/operands/source_set.h"

struct list_options {
	int kept;
};

static void item_free(struct list_file *item)
{
	free(item->shown);
	free(item->path);
}

static void fail(struct listing *l, const char *name, int err)
{
	l->status = STATUS_FAILED;
	if (!l->is_quiet)
		(void)status_error(name, err);
}

/* Takes over the paths of *found, even on failure. */
static void add_item(struct listing *l, const struct list_file *found)
{
	struct list_file item = *found;
	bool is_folder = S_ISDIR(item.was.mode);
	struct list_files *to = is_folder ? &l->folders : &l->files;
	item.source = l->n_sources;
	if (!is_folder && item.path && l->wants && !l->wants(l->data, &item)) {
		item_free(&item);
		return;
	}
	if (item.shown && item.path &&
	    array_reserve(&to->list, &to->cap, to->n, 1) == 0) {
		to->list[to->n++] = item;
		return;
	}
	item_free(&item);
	fail(l, "list", -ENOMEM);
}

static void add_source(struct listing *l, const char *name, bool is_of_set)
{
	struct list_file item = { .is_source = true, .is_of_set = is_of_set };
	struct stat st;
	int err = source_path(name, &item.path);
	if (!err)
		err = version_reach(NULL, item.path, &item.was);
	if (!err) {
		/* What a mount shows has another path in it. */
		bool is_itself =
			stat(name, &st) < 0 ||
			version_same_file(version_of_stat(&st), item.was);
		item.shown = strdup(is_itself ? name : item.path);
		add_item(l, &item);
		return;
	}
	free(item.path);
	fail(l, name, err);
}

static void read_folder(struct listing *l, const struct list_file *folder)
{
	struct folder_list list;
	int err = folder_read(NULL, folder->path, &list);
	for (size_t i = 0; i < list.n && !err; i++) {
		const struct folder_item *item = &list.items[i];
		/* The agent resumes none of them. */
		if (folder_item_has_runs(NULL, folder->path, item,
					 &dialect_registry, l->dialect))
			continue;
		const struct list_file found = {
			.shown = pathname_join(folder->shown, item->file),
			.path = pathname_join(folder->path, item->file),
			.was = version_of_stat(&item->st),
			.is_of_set = folder->is_of_set,
		};
		add_item(l, &found);
	}
	compressed_take(&l->compressed, &list.compressed);
	folder_list_free(&list);
	/* A folder that was deleted meanwhile is missed by nobody. */
	if (err && (folder->is_source || err != -ENOENT))
		fail(l, folder->shown, err);
}

static int by_path(const void *a, const void *b)
{
	const struct list_file *x = a;
	const struct list_file *y = b;
	int order = strcmp(x->path, y->path);
	return order ? order
		     : (x->source > y->source) - (x->source < y->source);
}

static void drop_repeated(struct list_files *files)
{
	size_t n = 0;
	for (size_t i = 0; i < files->n; i++) {
		if (n > 0 &&
		    strcmp(files->list[n - 1].path, files->list[i].path) == 0)
			item_free(&files->list[i]);
		else
			files->list[n++] = files->list[i];
	}
	files->n = n;
}

/* Of a mount of several sources. */
static void add_mounted_set(struct listing *l, const char *root)
{
	struct source_set set = { 0 };
	if (source_set_mounted(&set, root) != STATUS_OK)
		l->status = STATUS_FAILED;
	for (size_t i = 0; i < set.n; i++)
		add_source(l, set.list[i].path, true);
	set_free(&set);
}

void listing_add(struct listing *l, const char *name)
{
	if (mounted_is_set(name))
		add_mounted_set(l, name);
	else
		add_source(l, name, false);
	while (l->folders.n > 0) {
		struct list_file folder = l->folders.list[--l->folders.n];
		read_folder(l, &folder);
		item_free(&folder);
	}
	if (!l->is_quiet)
		status_compressed(name, &l->compressed);
	compressed_free(&l->compressed);
	l->n_sources++;
}

/* An empty note is of a file that is no session. */
static bool use_record(const struct listing *l, const struct list_file *item,
		       struct summaries_row *row)
{
	struct list_record *r = list_cache_find(&l->cache, span_of(item->path));
	if (!r)
		return false;
	r->is_found = true;
	/* What the user named is read again, to report what is wrong. */
	if (!version_eq(r->of, item->was) ||
	    (item->is_source && r->note.n == 0))
		return false;
	row->is_listed = summary_unpack(NULL, r->note, &row->summary);
	r->is_used = row->is_listed || r->note.n == 0;
	return r->is_used;
}

static int add_rows(struct listing *l)
{
	int err = 0;
	for (size_t i = 0; i < l->files.n && !err; i++) {
		struct list_file *item = &l->files.list[i];
		struct summaries_row row = { .owned = item,
					     .path = item->path,
					     .shown = item->shown };
		row.is_known = use_record(l, item, &row);
		if (!row.is_known && l->reads && !l->reads(l->data, item))
			continue;
		err = summaries_add(&l->table, &row);
	}
	return err;
}

static void make(void *data, struct summaries_row *row)
{
	const struct listing *l = data;
	const struct list_file *item = row->owned;
	const struct session_opening how = { .dialects = &dialect_registry,
					     .forced = l->dialect,
					     .read_only = true,
					     .once = true,
					     .ingested = usage_ingest,
					     .keeps_lines = true,
					     .names = l->names,
					     .gate = l->gate };
	struct timespec now = version_clock();
	struct session *s;
	row->err = session_open(&s, item->path, &how, &row->reason);
	/* Not a session: that is kept, too. */
	if (row->err == -EPROTO)
		row->of = version_settled(item->was, now);
	if (row->err)
		return;
	row->err = session_enter(s);
	if (!row->err) {
		row->err = summaries_take(row, s, now);
		session_leave(s);
	}
	session_free(s);
}

/* Files in a folder that are no sessions are left out. */
static void report(struct listing *l, const struct summaries_row *row)
{
	const struct list_file *item = row->owned;
	bool expected = row->err == -EPROTO || row->err == -ENOENT ||
			row->err == -ELOOP;
	if (!row->err || (expected && !item->is_source))
		return;
	l->status = STATUS_FAILED;
	if (!l->is_quiet)
		(void)status_fail(item->shown, row->reason
						       ? row->reason
						       : strerror(-row->err));
}

/* Is a record of the cache, whose file was not looked at, still of use? */
static bool is_wanted(const struct list_record *r)
{
	struct version now;
	char *path = strndup(r->path.p, r->path.n);
	bool there = path && version_take(NULL, path, &now) == 0 &&
		     version_same_file(now, r->of);
	free(path);
	return there;
}

/* The records that were used or are still wanted, and the new ones. */
static void keep_records(const struct listing *l)
{
	const struct list_cache *c = &l->cache;
	struct list_record *to = calloc(l->table.n + c->n + 1, sizeof(*to));
	size_t n = 0;
	bool changed = false;
	for (size_t i = 0; i < c->n && to; i++) {
		const struct list_record *r = &c->records[i];
		if (r->is_found ? r->is_used : is_wanted(r))
			to[n++] = *r;
		else
			changed = changed || !r->is_found;
	}
	for (size_t i = 0; i < l->table.n && to; i++) {
		const struct summaries_row *row = &l->table.rows[i];
		if (row->is_known || version_eq(row->of, VERSION_UNKNOWN))
			continue;
		changed = true;
		to[n++] = (struct list_record){
			.path = span_of(row->path),
			.note = buf_span(&row->note),
			.of = row->of,
		};
	}
	if (changed)
		list_cache_write(c, to, n);
	free(to);
}

int listing_make(struct listing *l)
{
	/* What is kept is of the dialects that the lines decide on. */
	if (!l->dialect)
		list_cache_read(&l->cache);
	l->names = folder_index_new();
	l->gate = gate_view(NULL);
	if (l->files.n > 0)
		qsort(l->files.list, l->files.n, sizeof(*l->files.list),
		      by_path);
	drop_repeated(&l->files);
	int err = add_rows(l);
	/* What fails for a session is reported with its name. */
	if (!err)
		(void)summaries_make(&l->table, make, l);
	for (size_t i = 0; i < l->table.n && !err; i++)
		report(l, &l->table.rows[i]);
	if (!err && l->cache.path)
		keep_records(l);
	return err ? err : summaries_sort(&l->table, &dialect_registry);
}

void listing_free(struct listing *l)
{
	summaries_free(&l->table);
	for (size_t i = 0; i < l->files.n; i++)
		item_free(&l->files.list[i]);
	free(l->files.list);
	free(l->folders.list);
	list_cache_free(&l->cache);
	folder_index_free(l->names);
	gate_free(l->gate);
}

static int print_lines(const struct listing *l, bool resumable)
{
	struct buf out = { 0 };
	for (size_t i = 0; i < l->table.n; i++) {
		const struct summaries_row *row = &l->table.rows[i];
		const struct list_file *f = row->owned;
		/* As sessions.txt there. */
		if (row->summary.subagent && f->is_of_set && !f->is_source)
			continue;
		if (row->is_listed && (row->summary.resumable || !resumable))
			summary_add_line(&row->summary, span_of(row->shown),
					 &out);
	}
	int err = buf_error(&out);
	if (!err)
		err = whole_write(STDOUT_FILENO, buf_span(&out));
	buf_free(&out);
	return err;
}

static int list_print(const struct options *o)
{
	const struct list_options *own = o->own;
	const struct agent_sessions_how all = { .is_kept = own->kept > 0 };
	struct listing l = { .dialect = o->dialect };
	if (o->n_names == 0)
		return agent_sessions_print(&all);
	if (own->kept) {
		fputs("sessfs: list: --kept takes no SOURCE "
		      "(sessfs list -h for help)\n",
		      stderr);
		return STATUS_USAGE;
	}
	for (size_t i = 0; i < o->n_names; i++)
		listing_add(&l, o->names[i]);
	int err = listing_make(&l);
	if (!err)
		err = print_lines(&l, o->resumable);
	listing_free(&l);
	return err ? status_output(err) : l.status;
}

static const struct option_row rows[] = {
	{ 0, "kept", OPTION_FLAG, offsetof(struct list_options, kept), NULL,
	  WORD_NONE,
	  "those that their agents have deleted and sessfs keep\n"
	  "has kept" },
	OPTION_ROW_SESSION_OF(TAKEN_BY_LIST),
	OPTION_ROW_END,
};

const struct command command_list = {
	.name = "list",
	.usage = "[SOURCE...]",
	.help = "Print a line for each session.",
	.options = rows,
	.size = sizeof(struct list_options),
	.most = UINT_MAX,
	.run = list_print,
};
