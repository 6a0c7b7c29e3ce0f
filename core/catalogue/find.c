/*
 * Finding the files below sources that may be sessions: regular files called
 * NAME.jsonl, at any depth (core/places/folder.h).
 *
 * Runs. A folder beside a session of its name, which an agent wrote, has what
 * the session's subagents wrote, at any depth: so have Claude Code's
 * subagents/, oh-my-pi's tasks, and folders of Pi's extensions. The agent
 * resumes none of them.
 *
 * Folders of one depth are read on all processors. A source's own path is
 * looked at without following symlinks.
 */
#include "core/catalogue/private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/base/array.h"
#include "core/base/parallel.h"
#include "core/base/pathname.h"
#include "core/file/gate.h"
#include "core/file/held_folders.h"
#include "core/file/nofollow.h"
#include "core/session/dialect.h"

/* What is found, and where it is looked for. */
struct looking {
	struct stored *s;
	struct gate *gate;
	struct session_rows *files;
};

/* A folder, which one thread reads. It has a row as files have. */
struct reading {
	const struct looking *f;
	const struct session_row *folder;
	struct session_rows files;
	struct session_rows folders;
	struct compressed compressed;
	bool is_partial;
	int err;
};

/* Takes over the paths, even on failure. */
static int add(struct session_rows *to, const struct session_row *at)
{
	struct session_row *row = calloc(1, sizeof(*row));
	if (row)
		*row = *at;
	if (row && at->path && at->shown &&
	    array_add(&to->list, &to->cap, &to->n, row) == 0)
		/* cppcheck-suppress memleak; the list has it */
		return 0;
	if (at->shown != at->path)
		free(at->shown);
	free(at->path);
	free(row);
	return -ENOMEM;
}

/* Move the elements of one list to the end of another. */
static int move(struct session_rows *to, struct session_rows *from)
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

static bool name_before(const void *items, size_t i, const void *name)
{
	const struct folder_item *list = items;
	return strcmp(list[i].name, name) < 0;
}

/* The dialect of the session that a folder is beside; NULL: it is none. */
static const struct dialect *owner_of(const struct reading *r,
				      const struct folder_list *list,
				      const struct folder_item *beside)
{
	const struct catalogue *c = r->f->s->c;
	const struct dialect *d = NULL;
	size_t i =
		array_search(list->items, list->n, name_before, beside->file);
	if (i == list->n || strcmp(list->items[i].name, beside->file) != 0)
		return NULL;
	const struct folder_item *item = &list->items[i];
	char *path = pathname_join(r->folder->path, item->file);
	bool known = path && known_dialect(r->f->s, path,
					   version_of_stat(&item->st), &d);
	if (path && !known &&
	    folder_has_session(r->f->gate, path, c->dialects, c->forced, &d) !=
		    1)
		d = NULL;
	free(path);
	return d;
}

/* FOLDER/NAME, or NAME alone; NULL without memory. */
static char *join(const char *folder, const char *name)
{
	return *folder ? pathname_join(folder, name) : strdup(name);
}

/* Put a part behind a path; without memory it is NULL. */
static void lengthen(char **path, const char *name)
{
	char *longer = *path ? pathname_join(*path, name) : NULL;
	free(*path);
	*path = longer;
}

/*
 * Of a folder beside a session that an agent wrote, a mount shows the folder of
 * its subagents in the session, and nothing else.
 */
static int add_item(struct reading *r, const struct folder_list *list,
		    const struct folder_item *item)
{
	const struct session_row *in = r->folder;
	bool as_mounted = r->f->s->c->as_mounted;
	const struct dialect *owner =
		folder_item_is_beside(item) ? owner_of(r, list, item) : NULL;
	bool is_run = owner && owner->home;
	bool own = is_run && as_mounted && owner->subagents;
	struct session_row at = {
		.path = pathname_join(in->path, item->file),
		.source = in->source,
		.is_run = is_run || in->is_run,
		.version = version_of_stat(&item->st),
	};
	at.shown = at.path;
	if (own || in->shown != in->path)
		at.shown = join(in->shown,
				as_mounted && !own ? item->name : item->file);
	/* What is shown has a path of its own in a mount. */
	if (own) {
		lengthen(&at.path, owner->subagents->folder);
		lengthen(&at.shown, owner->subagents->folder);
	}
	return add(S_ISDIR(item->st.st_mode) ? &r->folders : &r->files, &at);
}

/* Those in it are opened from there, and not from the root on. */
static void hold(struct gate *g, const char *path, int folder)
{
	struct held_folders *held = gate_folders(g);
	struct buf name BUF_SCOPED = { 0 };
	int fd = held ? fcntl(folder, F_DUPFD_CLOEXEC, 0) : -1;
	buf_addf(&name, "%s/", path);
	if (fd >= 0 && !name.failed) {
		held_folders_keep(held, buf_span(&name), fd);
		held_folders_done(held, fd);
	} else if (fd >= 0) {
		close(fd);
	}
}

static void read_folder(void *data, size_t i)
{
	struct reading *r = (struct reading *)data + i;
	const struct catalogue *c = r->f->s->c;
	struct gate *gate = r->f->gate;
	struct folder_list list = { 0 };
	DIR *dir;
	r->err = nofollow_open_dir(gate, r->folder->path, &dir);
	if (!r->err && c->enters)
		c->enters(c->data, dirfd(dir));
	if (!r->err)
		hold(gate, r->folder->path, dirfd(dir));
	if (!r->err)
		r->err = folder_read_open(gate, r->folder->path, dir, &list);
	for (size_t k = 0; k < list.n && !r->err; k++)
		r->err = add_item(r, &list, &list.items[k]);
	r->is_partial = list.partial;
	compressed_take(&r->compressed, &list.compressed);
	folder_list_free(&list);
}

static void unread(const struct catalogue *c, const struct session_row *at,
		   int err)
{
	struct session_row row = *at;
	row.err = err;
	if (c->unread)
		c->unread(c->data, &row);
}

/* Take what a folder has. A folder that was deleted is missed by nobody. */
static int take(const struct looking *f, struct reading *r,
		struct session_rows *folders)
{
	struct stored *s = f->s;
	int err = r->err == -ENOMEM ? -ENOMEM : 0;
	if (r->err && !err && (r->folder->is_source || r->err != -ENOENT))
		unread(s->c, r->folder, r->err);
	s->is_partial =
		s->is_partial || r->is_partial || (r->err && r->err != -ENOENT);
	if (!err)
		err = move(f->files, &r->files);
	if (!err)
		err = move(folders, &r->folders);
	compressed_take(&s->c->sources[r->folder->source].compressed,
			&r->compressed);
	rows_free(&r->files);
	rows_free(&r->folders);
	return err;
}

/* Read the folders of one depth, and replace them by those in them. */
static int read_level(const struct looking *f, struct session_rows *folders)
{
	struct reading *all = calloc(folders->n, sizeof(*all));
	struct session_rows below = { 0 };
	int err = all ? 0 : -ENOMEM;
	for (size_t i = 0; i < folders->n && all; i++)
		all[i] = (struct reading){ .f = f, .folder = folders->list[i] };
	if (all)
		parallel_run(folders->n, read_folder, all);
	for (size_t i = 0; i < folders->n && all; i++) {
		int failed = take(f, &all[i], &below);
		err = err ? err : failed;
	}
	free(all);
	rows_free(folders);
	*folders = below;
	return err;
}

static int add_source(const struct looking *f, size_t i,
		      struct session_rows *folders)
{
	const struct catalogue_source *of = &f->s->c->sources[i];
	bool plain = !f->s->c->as_mounted && strcmp(of->path, of->shown) == 0;
	struct session_row at = { .path = of->path,
				  .shown = plain ? of->path : of->shown,
				  .source = i,
				  .is_source = true };
	int err = version_reach(f->gate, of->path, &at.version);
	if (err == -ENOMEM)
		return err;
	if (err) {
		f->s->is_partial = f->s->is_partial || err != -ENOENT;
		unread(f->s->c, &at, err);
		return 0;
	}
	at.path = strdup(of->path);
	at.shown = plain ? at.path : strdup(of->shown);
	/* The rows own it. NOLINTNEXTLINE(clang-analyzer-unix.Malloc) */
	return add(S_ISDIR(at.version.mode) ? folders : f->files, &at);
}

int find_files(struct stored *s, struct gate *gate, struct session_rows *files)
{
	const struct looking f = { s, gate, files };
	struct session_rows folders = { 0 };
	int err = 0;
	for (size_t i = 0; i < s->c->n_sources && !err; i++) {
		compressed_free(&s->c->sources[i].compressed);
		err = add_source(&f, i, &folders);
	}
	while (folders.n > 0 && !err)
		err = read_level(&f, &folders);
	rows_free(&folders);
	return err;
}
