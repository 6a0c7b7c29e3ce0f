#include "mount/commands/commands.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/base/array.h"
#include "core/base/parallel.h"
#include "core/base/pathname.h"
#include "core/dialects/registry.h"
#include "core/file/name_cache.h"
#include "core/file/nofollow.h"
#include "core/file/same.h"
#include "core/file/whole.h"
#include "core/places/folder.h"
#include "core/show/summary.h"
#include "core/show/usage.h"
#include "mount/commands/list_cache.h"
#include "mount/commands/output.h"
#include "mount/commands/status.h"

/* A file that may be a session, or a folder. */
struct item {
	char *shown; /* its path below the SOURCE as given */
	char *path;  /* absolute, without symlinks */
	struct stat st;
	struct summary summary;
	struct buf note;
	const char *reason; /* why it was not read; or NULL */
	int err;
	bool is_source; /* named by the user */
	bool is_beside; /* a folder beside a session of its name */
	bool is_session;
	bool keep; /* in the cache */
};

struct items {
	struct item *list;
	size_t n;
	size_t cap;
};

struct listing {
	const struct options *o;
	struct items files; /* by path, once all are found */
	struct items folders;
	struct list_cache cache;
	struct name_cache *names;
	size_t *missing; /* files that have to be read */
	size_t n_missing;
	struct compressed compressed; /* of the SOURCE that is searched */
	int status;
};

static void item_free(struct item *item)
{
	free(item->shown);
	free(item->path);
	summary_free(&item->summary);
	buf_free(&item->note);
}

static void items_free(struct items *items)
{
	for (size_t i = 0; i < items->n; i++)
		item_free(&items->list[i]);
	free(items->list);
}

static void fail(struct listing *l, const char *name, int err)
{
	l->status = status_fail(name, strerror(-err));
}

/* Takes over the paths of *found, even on failure. */
static void add_item(struct listing *l, const struct item *found)
{
	struct item item = *found;
	const struct stat *st = &item.st;
	struct items *to = S_ISDIR(st->st_mode) ? &l->folders : &l->files;
	if (item.shown && item.path &&
	    array_reserve(&to->list, &to->cap, to->n, 1) == 0) {
		to->list[to->n++] = item;
		return;
	}
	item_free(&item);
	fail(l, "--list", -ENOMEM);
}

static void add_source(struct listing *l, const char *name)
{
	struct item item = { .path = realpath(name, NULL), .is_source = true };
	int err = item.path ? nofollow_stat(NULL, item.path, &item.st) : -errno;
	if (!err) {
		item.shown = strdup(name);
		add_item(l, &item);
		return;
	}
	free(item.path);
	fail(l, name, err);
}

/* The agent resumes no sessions of subagents (core/session/dialect.h). */
static bool has_subagents(const struct item *folder,
			  const struct folder_item *item)
{
	if (!folder->is_beside || !S_ISDIR(item->st.st_mode))
		return false;
	for (size_t i = 0; i < dialect_registry.n; i++) {
		const struct dialect_subagents *d =
			dialect_registry.rows[i]->subagents;
		if (d && strcmp(item->file, d->folder) == 0)
			return true;
	}
	return false;
}

static void read_folder(struct listing *l, const struct item *folder)
{
	struct folder_list list;
	int err = folder_read(NULL, folder->path, &list);
	for (size_t i = 0; i < list.n && !err; i++) {
		const struct folder_item *item = &list.items[i];
		if (has_subagents(folder, item))
			continue;
		const struct item found = {
			.shown = pathname_join(folder->shown, item->file),
			.path = pathname_join(folder->path, item->file),
			.st = item->st,
			.is_beside = folder_item_is_beside(item),
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
	const struct item *x = a;
	const struct item *y = b;
	return strcmp(x->path, y->path);
}

static void drop_repeated(struct items *files)
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

static void find_files(struct listing *l)
{
	for (size_t i = 0; i < l->o->n_names; i++) {
		add_source(l, l->o->names[i]);
		while (l->folders.n > 0) {
			struct item folder = l->folders.list[--l->folders.n];
			read_folder(l, &folder);
			item_free(&folder);
		}
		status_compressed(l->o->names[i], &l->compressed);
		compressed_free(&l->compressed);
	}
	if (l->files.n > 0)
		qsort(l->files.list, l->files.n, sizeof(*l->files.list),
		      by_path);
	drop_repeated(&l->files);
}

/* An empty note is of a file that is no session. */
static bool use_record(struct listing *l, struct item *item)
{
	const struct list_record *r =
		list_cache_find(&l->cache, span_of(item->path), &item->st);
	/* What the user named is read again, to report what is wrong. */
	if (!r || (item->is_source && r->note.n == 0))
		return false;
	item->is_session = summary_unpack(NULL, r->note, &item->summary);
	if (!item->is_session && r->note.n > 0)
		return false;
	buf_add(&item->note, r->note);
	item->keep = !item->note.failed;
	return true;
}

/* The session is entered. */
static int make_summary(struct item *item, struct session *s,
			struct timespec before)
{
	if (!s->log.exists)
		return -ENOENT;
	int err = summary_make(s, &item->summary);
	if (err)
		return err;
	item->is_session = true;
	item->st = s->log.st;
	summary_pack(&item->summary, &s->log.before, &item->note);
	item->keep = !item->note.failed && same_is_settled(&item->st, before) &&
		     lineage_is_settled(&s->log.before, before);
	return 0;
}

static void make_missing(void *data, size_t i)
{
	const struct listing *l = data;
	struct item *item = &l->files.list[l->missing[i]];
	const struct session_opening how = { .dialects = &dialect_registry,
					     .forced = l->o->dialect,
					     .read_only = true,
					     .ingested = usage_ingest,
					     .names = l->names };
	struct timespec now = { 0 };
	struct session *s;
	clock_gettime(CLOCK_REALTIME, &now);
	item->err = session_open(&s, item->path, &how, &item->reason);
	/* Not a session: that is kept, too. */
	if (item->err == -EPROTO)
		item->keep = same_is_settled(&item->st, now);
	if (item->err)
		return;
	item->err = session_enter(s);
	if (!item->err) {
		item->err = make_summary(item, s, now);
		session_leave(s);
	}
	session_free(s);
}

/* Files in a folder that are no sessions are left out. */
static void report(struct listing *l, const struct item *item)
{
	bool expected = item->err == -EPROTO || item->err == -ENOENT ||
			item->err == -ELOOP;
	if (!item->err || (expected && !item->is_source))
		return;
	l->status =
		status_fail(item->shown,
			    item->reason ? item->reason : strerror(-item->err));
}

static int make_summaries(struct listing *l)
{
	l->missing = calloc(l->files.n + 1, sizeof(*l->missing));
	if (!l->missing)
		return -ENOMEM;
	for (size_t i = 0; i < l->files.n; i++)
		if (!use_record(l, &l->files.list[i]))
			l->missing[l->n_missing++] = i;
	parallel_run(l->n_missing, make_missing, l);
	for (size_t i = 0; i < l->n_missing; i++) {
		const struct item *item = &l->files.list[l->missing[i]];
		/* Several threads together had too many files open. */
		if (nofollow_is_shortage(item->err))
			make_missing(l, i);
		report(l, item);
	}
	return 0;
}

/* Is a record of the cache, whose file was not looked at, still of use? */
static bool is_wanted(const struct list_record *r)
{
	struct stat st;
	char *path = strndup(r->path.p, r->path.n);
	bool there = path && lstat(path, &st) == 0 && same_file(&r->st, &st);
	free(path);
	return there;
}

/* Merge the files with the cache's other records, both sorted by path. */
static size_t merge_records(const struct listing *l, struct list_record *to,
			    bool *changed)
{
	const struct list_cache *c = &l->cache;
	size_t n = 0;
	size_t k = 0;
	for (size_t i = 0; i <= l->files.n; i++) {
		const struct item *item = &l->files.list[i];
		struct span path = { "", 0 };
		if (i < l->files.n)
			path = span_of(item->path);
		for (; k < c->n; k++) {
			int order = -1;
			if (i < l->files.n)
				order = span_compare(c->records[k].path, path);
			if (order > 0)
				break;
			if (order < 0 && is_wanted(&c->records[k]))
				to[n++] = c->records[k];
			else if (order < 0)
				*changed = true;
		}
		if (i < l->files.n && item->keep)
			to[n++] = (struct list_record){ path,
							buf_span(&item->note),
							item->st };
	}
	return n;
}

static void keep_records(const struct listing *l)
{
	size_t most = l->files.n + l->cache.n + 1;
	struct list_record *records = calloc(most, sizeof(*records));
	bool changed = false;
	for (size_t i = 0; i < l->n_missing; i++)
		changed |= l->files.list[l->missing[i]].keep;
	if (records) {
		size_t n = merge_records(l, records, &changed);
		if (changed)
			list_cache_write(&l->cache, records, n);
	}
	free(records);
}

static int add_names(struct items *files)
{
	struct names names = { 0 };
	int err = 0;
	for (size_t i = 0; i < files->n && !err; i++)
		if (files->list[i].is_session)
			err = summary_rename(&files->list[i].summary, &names,
					     &dialect_registry,
					     files->list[i].path);
	names_free(&names);
	return err;
}

static int newest_first(const void *a, const void *b)
{
	const struct item *x = a;
	const struct item *y = b;
	return summary_compare(&x->summary, span_of(x->shown), &y->summary,
			       span_of(y->shown));
}

static bool is_listed(const struct options *o, const struct item *item)
{
	return item->is_session && (item->summary.resumable || !o->resumable);
}

static int print_lines(const struct options *o, struct items *files)
{
	struct buf out = { 0 };
	if (files->n > 0)
		qsort(files->list, files->n, sizeof(*files->list),
		      newest_first);
	for (size_t i = 0; i < files->n; i++)
		if (is_listed(o, &files->list[i]))
			summary_add_line(&files->list[i].summary,
					 span_of(files->list[i].shown), &out);
	int err = buf_error(&out);
	if (!err)
		err = whole_write(STDOUT_FILENO, buf_span(&out));
	buf_free(&out);
	return err;
}

int list_print(const struct options *o)
{
	struct listing l = { .o = o,
			     .names = name_cache_new(),
			     .status = STATUS_OK };
	/* What is kept is of the dialects that the lines decide on. */
	if (!o->dialect)
		list_cache_read(&l.cache);
	find_files(&l);
	int err = make_summaries(&l);
	if (!err && l.cache.path)
		keep_records(&l);
	if (!err)
		err = add_names(&l.files);
	if (!err)
		err = print_lines(o, &l.files);
	items_free(&l.files);
	items_free(&l.folders);
	list_cache_free(&l.cache);
	name_cache_free(l.names);
	free(l.missing);
	return err ? output_fail(err) : l.status;
}
