#include "core/file/folder_index.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "core/base/array.h"
#include "core/base/idtable.h"
#include "core/file/nofollow.h"
#include "core/file/version.h"

/* Those of some days, and where they are archived. */
#define FOLDERS 8

struct folder {
	char *path; /* NULL: of no folder */
	name_key *key;
	struct version was; /* settled, or unknown */
	struct buf text;    /* of each, its key in lower case and its name */
	size_t *rows;	    /* where they begin; they end with NUL */
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
	if (c)
		c->lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	return c;
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
	return span_of(f->text.data + f->rows[row]);
}

static void add_lower(struct buf *out, struct span text)
{
	for (size_t i = 0; i < text.n; i++)
		buf_addc(out, span_lower(text.p[i]));
}

static int add_name(struct folder *f, struct span name)
{
	struct span key = f->key(name);
	size_t row = f->text.len;
	if (key.n == 0)
		return 0;
	if (array_reserve(&f->rows, &f->cap, f->n, 1) < 0)
		return -ENOMEM;
	add_lower(&f->text, key);
	buf_addc(&f->text, '\0');
	buf_add(&f->text, name);
	buf_addc(&f->text, '\0');
	if (f->text.failed)
		return -ENOMEM;
	f->rows[f->n] = row;
	key = key_of_row(f, (uint32_t)f->n, NULL);
	if (idtable_find(&f->by_key, f, key) != IDTABLE_NONE)
		return 0;
	return idtable_add(&f->by_key, key, (uint32_t)f->n++);
}

/* Read a folder into a zeroed struct. The caller frees it after an error. */
static int load(struct folder *f, struct gate *g, const char *path,
		name_key *key)
{
	struct timespec now = version_clock();
	const struct dirent *d;
	DIR *dir;
	f->key = key;
	f->path = strdup(path);
	int err = f->path ? nofollow_open_dir(g, path, &dir) : -ENOMEM;
	if (err)
		return err;
	err = version_take_open(dirfd(dir), &f->was);
	f->was = version_settled(f->was, now);
	idtable_init(&f->by_key, key_of_row);
	while (!err && (errno = 0, d = readdir(dir)))
		err = add_name(f, span_of(d->d_name));
	err = err ? err : -errno;
	closedir(dir);
	return err;
}

static int find(const struct folder *f, struct span wanted, struct buf *name)
{
	struct buf key BUF_SCOPED = { 0 };
	add_lower(&key, wanted);
	int err = buf_error(&key);
	uint32_t i = err ? IDTABLE_NONE
			 : idtable_find(&f->by_key, f, buf_span(&key));
	if (i == IDTABLE_NONE)
		return err;
	struct span found = key_of_row(f, i, NULL);
	buf_adds(name, found.p + found.n + 1);
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

int folder_index_find(struct folder_index *c, struct gate *g,
		      const char *folder, name_key *key, struct span wanted,
		      struct buf *name)
{
	struct folder once = { 0 };
	struct folder *f = &once;
	int got = 0;
	if (c) {
		pthread_mutex_lock(&c->lock);
		f = place_of(c, folder, key);
		f->last_use = ++c->clock;
	}
	if (!is_of(f, folder, key) ||
	    version_look(g, folder, f->was) != VERSION_SAME) {
		folder_free(f);
		got = load(f, g, folder, key);
	}
	if (!got)
		got = find(f, wanted, name);
	if (got < 0 || !c)
		folder_free(f);
	if (c)
		pthread_mutex_unlock(&c->lock);
	return got;
}
