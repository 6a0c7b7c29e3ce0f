#include "core/catalogue/find.h"

#include <errno.h>
#include <stdlib.h>

#include "core/base/array.h"
#include "core/base/parallel.h"
#include "core/base/pathname.h"
#include "core/catalogue/catalogue.h"

/* A folder, which one thread reads. */
struct reading {
	const struct finding_files *f;
	const struct found *folder;
	struct found_list files;
	struct found_list folders;
	struct compressed compressed;
	bool is_partial;
	int err;
};

static void found_free(struct found *at)
{
	free(at->path);
	free(at->shown);
}

static void list_free(struct found_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		found_free(&l->list[i]);
	free(l->list);
	*l = (struct found_list){ 0 };
}

/* Takes over the paths, even on failure. */
static int add(struct found_list *to, const struct found *at)
{
	struct found taken = *at;
	if (at->path && at->shown &&
	    array_reserve(&to->list, &to->cap, to->n, 1) == 0) {
		to->list[to->n++] = taken;
		return 0;
	}
	found_free(&taken);
	return -ENOMEM;
}

/* Move the elements of one list to the end of another. */
static int move(struct found_list *to, struct found_list *from)
{
	if (from->n == 0)
		return 0;
	if (array_reserve(&to->list, &to->cap, to->n, from->n) < 0)
		return -ENOMEM;
	memcpy(to->list + to->n, from->list, from->n * sizeof(*from->list));
	to->n += from->n;
	from->n = 0;
	return 0;
}

/* What is known of the session that the folder is beside: 1, 0 or -1. */
static int is_known_session(const struct reading *r,
			    const struct folder_list *list,
			    const struct folder_item *beside)
{
	const struct finding_files *f = r->f;
	struct buf path = { 0 };
	int is = -1;
	for (size_t i = 0; f->is_session && i < list->n; i++) {
		const struct folder_item *item = &list->items[i];
		if (strcmp(item->name, beside->file) != 0 ||
		    !S_ISREG(item->st.st_mode))
			continue;
		buf_addf(&path, "%s/%s", r->folder->path, item->file);
		const char *text = buf_cstr(&path);
		if (text)
			is = f->is_session(f->data, text,
					   version_of_stat(&item->st));
		break;
	}
	buf_free(&path);
	return is;
}

static bool has_runs(const struct reading *r, const struct folder_list *list,
		     const struct folder_item *item)
{
	const struct finding_files *f = r->f;
	if (!folder_item_is_beside(item))
		return false;
	int is = is_known_session(r, list, item);
	return is >= 0 ? is
		       : folder_item_has_runs(f->gate, r->folder->path, item,
					      f->dialects, f->forced);
}

static int add_item(struct reading *r, const struct folder_list *list,
		    const struct folder_item *item)
{
	bool is_folder = S_ISDIR(item->st.st_mode);
	if (is_folder && has_runs(r, list, item))
		return 0;
	const char *name = r->f->as_mounted ? item->name : item->file;
	const struct found at = {
		.path = pathname_join(r->folder->path, item->file),
		.shown = *r->folder->shown
				 ? pathname_join(r->folder->shown, name)
				 : strdup(name),
		.source = r->folder->source,
		.version = version_of_stat(&item->st),
	};
	return add(is_folder ? &r->folders : &r->files, &at);
}

static void read_folder(void *data, size_t i)
{
	struct reading *r = (struct reading *)data + i;
	const struct finding_files *f = r->f;
	struct folder_list list;
	if (f->enters)
		f->enters(f->data, r->folder->path);
	r->err = folder_read(f->gate, r->folder->path, &list);
	for (size_t k = 0; k < list.n && !r->err; k++)
		r->err = add_item(r, &list, &list.items[k]);
	r->is_partial = list.partial;
	compressed_take(&r->compressed, &list.compressed);
	folder_list_free(&list);
}

/* Take what a folder has. A folder that was deleted is missed by nobody. */
static int take(struct finding_files *f, struct reading *r,
		struct found_list *folders)
{
	int err = r->err == -ENOMEM ? -ENOMEM : 0;
	if (r->err && !err && (r->folder->is_source || r->err != -ENOENT))
		f->unread(f->data, r->folder, r->err);
	f->is_partial =
		f->is_partial || r->is_partial || (r->err && r->err != -ENOENT);
	if (!err)
		err = move(&f->files, &r->files);
	if (!err)
		err = move(folders, &r->folders);
	compressed_take(&f->sources[r->folder->source].compressed,
			&r->compressed);
	list_free(&r->files);
	list_free(&r->folders);
	return err;
}

/* Read the folders of one depth, and replace them by those in them. */
static int read_level(struct finding_files *f, struct found_list *folders)
{
	struct reading *all = calloc(folders->n, sizeof(*all));
	struct found_list below = { 0 };
	int err = all ? 0 : -ENOMEM;
	for (size_t i = 0; i < folders->n && all; i++)
		all[i] =
			(struct reading){ .f = f, .folder = &folders->list[i] };
	if (all)
		parallel_run(folders->n, read_folder, all);
	for (size_t i = 0; i < folders->n && all; i++) {
		int failed = take(f, &all[i], &below);
		err = err ? err : failed;
	}
	free(all);
	list_free(folders);
	*folders = below;
	return err;
}

/* The sources themselves. */
static int begin(struct finding_files *f, struct found_list *folders)
{
	int err = 0;
	for (size_t i = 0; i < f->n_sources && !err; i++) {
		struct catalogue_source *s = &f->sources[i];
		compressed_free(&s->compressed);
		struct found at = { .path = strdup(s->path),
				    .shown = strdup(s->shown),
				    .source = i,
				    .is_source = true };
		int failed =
			at.path ? version_reach(f->gate, at.path, &at.version)
				: -ENOMEM;
		if (failed == -ENOMEM) {
			err = failed;
			found_free(&at);
		} else if (failed) {
			f->is_partial = f->is_partial || failed != -ENOENT;
			f->unread(f->data, &at, failed);
			found_free(&at);
		} else {
			err = add(S_ISDIR(at.version.mode) ? folders
							   : &f->files,
				  &at);
		}
	}
	return err;
}

int find_files(struct finding_files *f)
{
	struct found_list folders = { 0 };
	int err = begin(f, &folders);
	while (folders.n > 0 && !err)
		err = read_level(f, &folders);
	list_free(&folders);
	return err;
}

void find_free(struct finding_files *f)
{
	list_free(&f->files);
}
