#include "core/file/folder_index.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/base/array.h"
#include "core/base/idtable.h"
#include "core/file/nofollow.h"
#include "core/file/version.h"

/* Those of some days, and where they are archived. */
#define FOLDERS 8

/* Parts of folder.text. */
struct row {
	size_t key; /* in lower case; the name follows it */
	size_t key_size;
	size_t name_size;
};

struct folder {
	char *path; /* NULL: of no folder */
	name_key *key;
	struct version was; /* settled, or unknown */
	struct buf text;
	struct row *rows;
	size_t n;
	size_t cap;
	struct idtable by_key;
	uint64_t last_use;
};

struct folder_index {
	pthread_mutex_t lock;
	struct folder folders[FOLDERS];
	uint64_t clock;
};

struct folder_index *folder_index_new(void)
{
	struct folder_index *c = calloc(1, sizeof(*c));
	if (c && pthread_mutex_init(&c->lock, NULL) == 0)
		return c;
	free(c);
	return NULL;
}

static void folder_free(struct folder *f)
{
	free(f->path);
	buf_free(&f->text);
	free(f->rows);
	idtable_free(&f->by_key);
	*f = (struct folder){ 0 };
}

void folder_index_free(struct folder_index *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < FOLDERS; i++)
		folder_free(&c->folders[i]);
	pthread_mutex_destroy(&c->lock);
	free(c);
}

static struct span key_of_row(const void *owner, uint32_t row,
			      struct idtable_scratch *scratch)
{
	const struct folder *f = owner;
	(void)scratch;
	return (struct span){ f->text.data + f->rows[row].key,
			      f->rows[row].key_size };
}

static void add_lower(struct buf *out, struct span text)
{
	for (size_t i = 0; i < text.n; i++)
		buf_addc(out, span_lower(text.p[i]));
}

static int add_name(struct folder *f, struct span name)
{
	struct span key = f->key(name);
	struct row row = { f->text.len, key.n, name.n };
	if (key.n == 0)
		return 0;
	if (array_reserve(&f->rows, &f->cap, f->n, 1) < 0)
		return -ENOMEM;
	add_lower(&f->text, key);
	buf_add(&f->text, name);
	if (f->text.failed)
		return -ENOMEM;
	f->rows[f->n] = row;
	key = key_of_row(f, (uint32_t)f->n, NULL);
	if (idtable_find(&f->by_key, f, key) != IDTABLE_NONE)
		return 0;
	return idtable_add(&f->by_key, key, (uint32_t)f->n++);
}

static int add_names(struct folder *f, DIR *dir)
{
	const struct dirent *d;
	int err = 0;
	idtable_init(&f->by_key, key_of_row);
	while (!err && (errno = 0, d = readdir(dir)))
		err = add_name(f, span_of(d->d_name));
	return err ? err : -errno;
}

/* Read a folder into a zeroed struct. The caller frees it after an error. */
static int load(struct folder *f, struct gate *g, const char *path,
		name_key *key)
{
	struct timespec now = version_clock();
	f->key = key;
	f->path = strdup(path);
	if (!f->path)
		return -ENOMEM;
	int fd = nofollow_open(g, path, O_RDONLY | O_DIRECTORY);
	if (fd < 0)
		return fd;
	int err = version_take_open(fd, &f->was);
	DIR *dir = err ? NULL : fdopendir(fd);
	if (!dir) {
		err = err ? err : -errno;
		close(fd);
		return err;
	}
	f->was = version_settled(f->was, now);
	err = add_names(f, dir);
	closedir(dir);
	return err;
}

static int find(const struct folder *f, struct span wanted, struct buf *name)
{
	struct buf key = { 0 };
	add_lower(&key, wanted);
	bool failed = key.failed;
	uint32_t i = failed ? IDTABLE_NONE
			    : idtable_find(&f->by_key, f, buf_span(&key));
	buf_free(&key);
	if (failed)
		return -ENOMEM;
	if (i == IDTABLE_NONE)
		return 0;
	const struct row *r = &f->rows[i];
	buf_add(name, (struct span){ f->text.data + r->key + r->key_size,
				     r->name_size });
	return name->failed ? -ENOMEM : 1;
}

static bool is_of(const struct folder *f, const char *path, name_key *key)
{
	return f->path && f->key == key && strcmp(f->path, path) == 0;
}

/* The place of a folder, or the one that was used longest ago. */
static struct folder *place_of(struct folder_index *c, const char *path,
			       name_key *key)
{
	struct folder *oldest = &c->folders[0];
	for (size_t i = 0; i < FOLDERS; i++) {
		struct folder *f = &c->folders[i];
		if (is_of(f, path, key))
			return f;
		if (f->last_use < oldest->last_use)
			oldest = f;
	}
	return oldest;
}

/* Needs the lock. */
static int find_kept(struct folder_index *c, struct gate *g, const char *path,
		     name_key *key, struct span wanted, struct buf *name)
{
	struct folder *f = place_of(c, path, key);
	int err = 0;
	if (!is_of(f, path, key) ||
	    version_look(g, path, f->was) != VERSION_SAME) {
		folder_free(f);
		err = load(f, g, path, key);
	}
	if (err) {
		folder_free(f);
		return err;
	}
	f->last_use = ++c->clock;
	return find(f, wanted, name);
}

int folder_index_find(struct folder_index *c, struct gate *g,
		      const char *folder, name_key *key, struct span wanted,
		      struct buf *name)
{
	if (c) {
		pthread_mutex_lock(&c->lock);
		int got = find_kept(c, g, folder, key, wanted, name);
		pthread_mutex_unlock(&c->lock);
		return got;
	}
	struct folder once = { 0 };
	int got = load(&once, g, folder, key);
	if (!got)
		got = find(&once, wanted, name);
	folder_free(&once);
	return got;
}
