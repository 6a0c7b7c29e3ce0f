#include "core/places/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/base/array.h"
#include "core/base/pathname.h"
#include "core/file/fault.h"
#include "core/file/gate.h"
#include "core/file/nofollow.h"
#include "core/session/detect.h"
#include "core/session/dialect.h"
#include "core/session/file_name.h"

/* A dialect is recognised by the start of a file. */
#define OPENING_LIMIT ((off_t)16 << 20)

static const struct span session_suffix = { ".jsonl", 6 };
static const struct span folder_suffix = { "%2F", 3 };

/* Is it the name of a file in this folder? */
static bool is_one_name(struct span name)
{
	return name.n > 0 && !span_eq(name, SPAN(".")) &&
	       !span_eq(name, SPAN("..")) && !memchr(name.p, '/', name.n);
}

/* Can a session be shown under that name? */
static bool is_session_name(struct span name)
{
	return is_one_name(name) &&
	       name.n + session_suffix.n <= FILE_NAME_LIMIT &&
	       !span_ends(name, folder_suffix);
}

/* name + suffix as a C string; NULL without memory. */
static char *join(struct span name, struct span suffix)
{
	struct buf b = { 0 };
	buf_add(&b, name);
	buf_add(&b, suffix);
	return buf_take(&b);
}

/* A folder that is open. */
struct opened {
	struct gate *gate;
	int fd;
};

/*
 * lstat(2): 1, 0 if there is no such file, or -errno if nothing is known.
 * `type` is readdir(3)'s.
 */
static int stat_file(const struct opened *folder, const char *file,
		     unsigned char type, struct stat *st)
{
	int err = type == DT_REG
			  ? gate_stat_file(folder->fd, file, st)
			  : gate_stat_in(folder->gate, folder->fd, file, st);
	if (err)
		return fault_tells_nothing(err) ? err : 0;
	return 1;
}

/* Could the name of a folder be taken for another item's? 1, 0 or -errno. */
static int needs_suffix(const struct opened *folder, struct span name)
{
	struct stat st;
	if (!is_session_name(name))
		return span_ends(name, folder_suffix);
	char *session = join(name, session_suffix);
	int got =
		session ? stat_file(folder, session, DT_UNKNOWN, &st) : -ENOMEM;
	free(session);
	return got == 1 ? S_ISREG(st.st_mode) : got;
}

/*
 * Set the item of a file in the folder. 1; 0 if it is not shown; or -errno. The
 * caller frees it in any case.
 */
static int describe(const struct opened *folder, const char *file,
		    unsigned char type, struct folder_item *item)
{
	struct span name = span_of(file);
	struct span suffix = SPAN("");
	int got = stat_file(folder, file, type, &item->st);
	if (got == 1 && S_ISDIR(item->st.st_mode)) {
		int needs = needs_suffix(folder, name);
		if (needs < 0)
			return needs;
		if (needs)
			suffix = folder_suffix;
	} else if (got == 1 && S_ISREG(item->st.st_mode) &&
		   span_ends(name, session_suffix)) {
		name.n -= session_suffix.n;
		if (!is_session_name(name))
			return 0;
	} else {
		return got < 0 ? got : 0;
	}
	if (name.n + suffix.n > FILE_NAME_LIMIT)
		return 0;
	item->name = join(name, suffix);
	item->file = strdup(file);
	return item->name && item->file ? 1 : -ENOMEM;
}

/* The item of a file, if that is shown under the name. 1, 0 or -errno. */
static int find(const struct opened *folder, struct span file,
		struct span suffix, struct span name, struct folder_item *item)
{
	char *path = join(file, suffix);
	int got = path ? describe(folder, path, DT_UNKNOWN, item) : -ENOMEM;
	free(path);
	if (got == 1 && span_eq(span_of(item->name), name))
		return 1;
	folder_item_free(item);
	return got < 0 ? got : 0;
}

int folder_find(struct gate *g, const char *path, struct span name,
		struct folder_item *item)
{
	struct span file = name;
	if (!is_one_name(name))
		return -ENOENT;
	const struct opened folder = { g, nofollow_open(g, path,
							O_PATH | O_DIRECTORY) };
	if (folder.fd < 0)
		return folder.fd;
	if (span_ends(name, folder_suffix))
		file.n -= folder_suffix.n;
	*item = (struct folder_item){ 0 };
	int got = find(&folder, name, session_suffix, name, item);
	if (got == 0)
		got = find(&folder, file, SPAN(""), name, item);
	close(folder.fd);
	return got == 1 ? 0 : got < 0 ? got : -ENOENT;
}

void folder_item_free(struct folder_item *item)
{
	free(item->name);
	free(item->file);
	item->name = NULL;
	item->file = NULL;
}

bool folder_item_is_beside(const struct folder_item *item)
{
	return S_ISDIR(item->st.st_mode) &&
	       strlen(item->name) > strlen(item->file) &&
	       !span_ends(span_of(item->file), folder_suffix);
}

void compressed_free(struct compressed *c)
{
	free(c->one);
	*c = (struct compressed){ 0 };
}

void compressed_take(struct compressed *to, struct compressed *from)
{
	to->n += from->n;
	if (!to->one) {
		to->one = from->one;
		from->one = NULL;
	}
	compressed_free(from);
}

static int note_compressed(const char *path, const char *file,
			   struct compressed *c)
{
	if (!span_ends(span_of(file), SPAN(".jsonl.zst")))
		return 0;
	if (!c->one)
		c->one = pathname_join(path, file);
	c->n++;
	return c->one ? 0 : -ENOMEM;
}

static int read_items(struct gate *g, const char *path, DIR *dir,
		      struct folder_list *list)
{
	const struct opened folder = { g, dirfd(dir) };
	for (;;) {
		errno = 0;
		const struct dirent *d = readdir(dir);
		if (!d)
			return -errno;
		if (strcmp(d->d_name, ".") == 0 || strcmp(d->d_name, "..") == 0)
			continue;
		if (array_reserve(&list->items, &list->cap, list->n, 1) < 0)
			return -ENOMEM;
		struct folder_item *item = &list->items[list->n];
		*item = (struct folder_item){ 0 };
		int got = describe(&folder, d->d_name, d->d_type, item);
		if (got == 0)
			got = note_compressed(path, d->d_name,
					      &list->compressed);
		if (got == 1) {
			list->n++;
			continue;
		}
		folder_item_free(item);
		if (got == -ENOMEM)
			return got;
		list->partial = list->partial || got < 0;
	}
}

static int by_name(const void *a, const void *b)
{
	const struct folder_item *x = a;
	const struct folder_item *y = b;
	return strcmp(x->name, y->name);
}

int folder_read(struct gate *g, const char *path, struct folder_list *list)
{
	DIR *dir;
	int err = nofollow_open_dir(g, path, &dir);
	*list = (struct folder_list){ 0 };
	return err ? err : folder_read_open(g, path, dir, list);
}

int folder_read_open(struct gate *g, const char *path, DIR *dir,
		     struct folder_list *list)
{
	*list = (struct folder_list){ 0 };
	int err = read_items(g, path, dir, list);
	closedir(dir);
	if (list->n > 0)
		qsort(list->items, list->n, sizeof(*list->items), by_name);
	return err;
}

void folder_list_free(struct folder_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		folder_item_free(&list->items[i]);
	free(list->items);
	compressed_free(&list->compressed);
	*list = (struct folder_list){ 0 };
}

/* The folders to look at; those before `at` were. */
struct folder_walk {
	char **list;
	size_t n;
	size_t cap;
	size_t at;
};

/* Add the folders of one. 1 if it has a file, or -errno. */
static int walk_into(struct folder_walk *w, struct gate *g, const char *path)
{
	struct folder_list list;
	int got = folder_read(g, path, &list);
	for (size_t i = 0; i < list.n && got == 0; i++) {
		const struct folder_item *item = &list.items[i];
		got = S_ISDIR(item->st.st_mode)
			      ? array_reserve(&w->list, &w->cap, w->n, 1)
			      : 1;
		if (got == 0)
			w->list[w->n++] = pathname_join(path, item->file);
	}
	folder_list_free(&list);
	return got;
}

int folder_look_for_sessions(struct gate *g, const char *path)
{
	struct folder_walk w = { 0 };
	int got = walk_into(&w, g, path);
	while (got == 0 && w.at < w.n && w.at < FOLDER_LOOK_MOST) {
		const char *next = w.list[w.at++];
		got = next ? walk_into(&w, g, next) : -ENOMEM;
	}
	if (got == 0 && w.at < w.n)
		got = -E2BIG;
	for (size_t i = 0; i < w.n; i++)
		free(w.list[i]);
	free(w.list);
	return got;
}

int folder_has_session(struct gate *g, const char *path,
		       const struct dialect_registry *dialects,
		       const struct dialect *forced,
		       const struct dialect **claimed)
{
	struct log log;
	struct feed f = { .step = DETECT_STEP };
	struct verdict v = { .dialect = forced };
	int err = log_open(&log, g, path);
	*claimed = NULL;
	if (err == -ENOENT || err == -EINVAL || err == -ELOOP || err == -EISDIR)
		return 0;
	if (err)
		return err;
	/* A first line may be very long. */
	if (log.st.st_size > OPENING_LIMIT)
		log.st.st_size = OPENING_LIMIT;
	err = forced ? 0 : dialect_detect(dialects, &log, &f, &v);
	buf_free(&f.chunk);
	log_close(&log);
	if (err)
		return err;
	*claimed = v.dialect;
	return v.dialect || v.lines == 0;
}
