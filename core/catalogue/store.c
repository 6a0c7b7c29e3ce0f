#include "core/catalogue/store.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "core/base/array.h"
#include "core/base/hash.h"
#include "core/base/pathname.h"
#include "core/catalogue/summary.h"
#include "core/file/nofollow.h"
#include "core/file/whole.h"
#include "core/json/timestamp.h"

#ifndef SESSFS_VERSION
#error "the Makefile defines the version"
#endif

#define LIMIT ((size_t)64 << 20)

/* A session that says more of itself is read each time. */
#define NOTE_LIMIT ((size_t)64 << 10)

#define LOCK_WAIT_MS 200

#define DAY_MS 86400000

/* A record that was used so lately is not written anew for that. */
#define USED_DAYS 7

/* The file that it is written to first, by who holds the lock. */
#define NEW_SUFFIX ".new"

/* Before the records; the digest is theirs. */
struct head {
	char version[32];
	uint32_t format;
	uint32_t summaries;
	uint64_t digest;
};

/* Before a record's path and note. */
struct record_head {
	struct version of;
	uint32_t path;
	uint32_t note;
	uint32_t used;
	uint32_t nothing; /* so that there is no padding */
};

static struct head make_head(struct span records)
{
	struct head h = { .version = SESSFS_VERSION,
			  .format = 3,
			  .summaries = SUMMARY_VERSION };
	h.digest = hash_line(records, sizeof(h));
	return h;
}

/* Is it this user's, and can nobody else write to it? */
static bool is_private(const struct stat *st)
{
	return st->st_uid == geteuid() && (st->st_mode & 022) == 0;
}

/*
 * Make a folder, if it is missing. Root makes none in another user's folder
 * (sudo may keep HOME): that user could never use it.
 */
static void make_folder(char *path)
{
	struct stat st;
	char *slash = strrchr(path, '/');
	*slash = '\0';
	bool others = geteuid() == 0 && stat(path, &st) == 0 && st.st_uid != 0;
	*slash = '/';
	if (!others)
		mkdir(path, 0700);
}

/* The absolute path of the cache's file; NULL if it can't be used. */
static char *find_path(void)
{
	struct buf path BUF_SCOPED = { 0 };
	struct stat st;
	char *folder = NULL;
	pathname_add_xdg(&path, "XDG_CACHE_HOME", ".cache", "");
	if (path.len == 0)
		return NULL;
	if (buf_cstr(&path))
		make_folder(path.data);
	buf_adds(&path, "/sessfs");
	if (buf_cstr(&path)) {
		make_folder(path.data);
		folder = realpath(path.data, NULL);
	}
	buf_reset(&path);
	if (folder && stat(folder, &st) == 0 && S_ISDIR(st.st_mode) &&
	    is_private(&st))
		buf_addf(&path, "%s/list", folder);
	free(folder);
	return path.len > 0 ? buf_take(&path) : NULL;
}

static bool read_bytes(struct store *s)
{
	struct stat st;
	buf_clear(&s->bytes);
	int fd = nofollow_open(NULL, s->path, O_RDONLY | O_NONBLOCK);
	if (fd < 0)
		return false;
	bool usable = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
		      is_private(&st) && st.st_size <= (off_t)LIMIT;
	s->version = usable ? version_of_stat(&st) : VERSION_UNKNOWN;
	if (usable)
		usable = whole_read_file(fd, LIMIT, &s->bytes) == 0;
	close(fd);
	return usable;
}

/* Consume a record at the start of `rest`; false if there is none. */
static bool take_record(struct span *rest, struct store_record *r)
{
	struct record_head h;
	if (rest->n < sizeof(h))
		return false;
	memcpy(&h, rest->p, sizeof(h));
	uint64_t after = (uint64_t)h.path + h.note;
	if (after > rest->n - sizeof(h))
		return false;
	const char *path = rest->p + sizeof(h);
	*r = (struct store_record){
		.path = { path, h.path },
		.note = { path + h.path, h.note },
		.of = h.of,
		.used = h.used,
	};
	rest->p = path + after;
	rest->n -= sizeof(h) + (size_t)after;
	return true;
}

static struct store_record record_at(const struct store *s, size_t i)
{
	struct span rest = buf_span(&s->bytes);
	struct store_record r = { 0 };
	rest = span_from(rest, s->at[i]);
	(void)take_record(&rest, &r);
	return r;
}

static bool read_records(struct store *s)
{
	struct head h;
	struct span rest = buf_span(&s->bytes);
	struct span before = { 0 };
	if (rest.n < sizeof(h))
		return false;
	memcpy(&h, rest.p, sizeof(h));
	rest = span_from(rest, sizeof(h));
	const struct head want = make_head(rest);
	if (memcmp(&h, &want, sizeof(h)) != 0)
		return false;
	while (rest.n > 0) {
		struct store_record r;
		uint32_t at = (uint32_t)(s->bytes.len - rest.n);
		/* They are sorted. */
		if (!take_record(&rest, &r) ||
		    (s->n > 0 && span_compare(before, r.path) >= 0) ||
		    array_add(&s->at, &s->cap, &s->n, at) < 0)
			return false;
		before = r.path;
	}
	return true;
}

static void read_file(struct store *s)
{
	s->n = 0;
	if (!read_bytes(s) || !read_records(s))
		s->n = 0;
}

void store_read(struct store *s)
{
	s->today = (uint32_t)(timestamp_now() / DAY_MS);
	s->path = find_path();
	if (s->path)
		read_file(s);
}

void store_free(struct store *s)
{
	free(s->path);
	free(s->at);
	buf_free(&s->bytes);
	*s = (struct store){ 0 };
}

static bool record_before(const void *store, size_t i, const void *path)
{
	const struct store_record r = record_at(store, i);
	return span_compare(r.path, *(const struct span *)path) < 0;
}

bool store_find(const struct store *s, size_t *near, struct span path,
		struct store_record *r)
{
	for (size_t i = *near; i < s->n && i <= *near + 1; i++) {
		*r = record_at(s, i);
		if (span_eq(r->path, path)) {
			*near = i;
			return true;
		}
	}
	*near = array_search(s, s->n, record_before, &path);
	if (*near == s->n)
		return false;
	*r = record_at(s, *near);
	return span_eq(r->path, path);
}

bool store_is_aged(const struct store *s, const struct store_record *r)
{
	return s->today > r->used + USED_DAYS;
}

/* -- writing */

struct writing {
	const struct store_news *news;
	uint32_t today;
	struct buf bytes;
	size_t size; /* of the records */
	bool looks;  /* only for changes */
	bool changes;
};

/* False: there is no room for it. */
static bool add_record(struct writing *w, const struct store_record *r)
{
	const struct record_head h = { r->of, (uint32_t)r->path.n,
				       (uint32_t)r->note.n, r->used, 0 };
	size_t size = sizeof(h) + r->path.n + r->note.n;
	if (r->note.n > NOTE_LIMIT || w->size + size > LIMIT)
		return false;
	w->size += size;
	if (w->looks)
		return true;
	buf_add(&w->bytes, (struct span){ (const char *)&h, sizeof(h) });
	buf_add(&w->bytes, r->path);
	buf_add(&w->bytes, r->note);
	return true;
}

/* A record that another process has written, or this one has read. */
static void keep_record(struct writing *w, const struct store_record *r)
{
	const struct store_news *n = w->news;
	struct store_record kept = *r;
	bool used = n->is_used(n->data, r);
	if (used && w->today > r->used + USED_DAYS)
		kept.used = w->today;
	w->changes = w->changes || kept.used != r->used;
	if (n->is_gone(n->data, r->path) || w->today > kept.used + STORE_DAYS)
		w->changes = true;
	else
		(void)add_record(w, &kept);
}

/* The new ones and those that there are, by path. */
static void merge(struct writing *w, const struct store *s)
{
	const struct store_news *n = w->news;
	size_t made = 0;
	for (size_t i = 0; i < s->n || made < n->n_made;) {
		const struct store_record was =
			i < s->n ? record_at(s, i) : (struct store_record){ 0 };
		int order = i == s->n ? 1 : -1;
		if (i < s->n && made < n->n_made)
			order = span_order(&was, &n->made[made]);
		if (order < 0) {
			keep_record(w, &was);
			i++;
			continue;
		}
		i += order == 0;
		n->made[made].used = w->today;
		if (add_record(w, &n->made[made++]))
			w->changes = true;
	}
}

/*
 * The folder, locked, or -errno. A process that is stopped may hold the lock: a
 * mount does not wait for it.
 */
static int lock_folder(const char *path)
{
	int fd = nofollow_open_folder(NULL, path);
	int folder =
		fd < 0 ? fd : whole_open(fd, ".", O_RDONLY | O_DIRECTORY, 0);
	int err = folder < 0 ? folder : whole_lock_within(folder, LOCK_WAIT_MS);
	if (fd >= 0)
		close(fd);
	if (err && folder >= 0)
		close(folder);
	return err ? err : folder;
}

/* Nothing is synced: a store that a power cut has torn counts as empty. */
static void replace(int folder, const char *path, struct span bytes)
{
	const char *name = nofollow_name(path);
	char temporary[64];
	snprintf(temporary, sizeof(temporary), "%s" NEW_SUFFIX, name);
	(void)unlinkat(folder, temporary, 0);
	int fd = whole_open(folder, temporary, O_WRONLY | O_CREAT | O_EXCL,
			    0600);
	if (fd < 0)
		return;
	int err = whole_write(fd, bytes);
	if (close(fd) < 0 || err ||
	    renameat(folder, temporary, folder, name) < 0)
		(void)unlinkat(folder, temporary, 0);
}

/* Would it be another one? */
static bool has_changes(struct writing *w, const struct store *s)
{
	w->looks = true;
	w->changes = false;
	w->size = 0;
	merge(w, s);
	w->looks = false;
	return w->changes;
}

static void write_records(struct writing *w, const struct store *s, int folder)
{
	struct head h = { .format = 0 };
	w->size = 0;
	buf_add(&w->bytes, (struct span){ (const char *)&h, sizeof(h) });
	merge(w, s);
	if (!buf_error(&w->bytes)) {
		h = make_head((struct span){ w->bytes.data + sizeof(h),
					     w->bytes.len - sizeof(h) });
		memcpy(w->bytes.data, &h, sizeof(h));
		replace(folder, s->path, buf_span(&w->bytes));
	}
	buf_free(&w->bytes);
}

void store_write(const struct store *s, const struct store_news *news)
{
	struct writing w = { .news = news, .today = s->today };
	struct version now;
	if (news->n_made > 0)
		qsort(news->made, news->n_made, sizeof(*news->made),
		      span_order);
	/* The lock is nothing to wait for without need. */
	if (!s->path || !has_changes(&w, s))
		return;
	int folder = lock_folder(s->path);
	if (folder < 0)
		return;
	/* What others have written since counts, too. */
	bool is_other = version_take(NULL, s->path, &now) == 0 &&
			!version_eq(now, s->version);
	struct store again = { .path = is_other ? strdup(s->path) : NULL };
	if (again.path)
		read_file(&again);
	if (!is_other)
		write_records(&w, s, folder);
	else if (again.path && has_changes(&w, &again))
		write_records(&w, &again, folder);
	store_free(&again);
	close(folder);
}
