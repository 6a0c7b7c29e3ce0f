#include "core/catalogue/store.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/array.h"
#include "core/base/hash.h"
#include "core/file/newfile.h"
#include "core/file/nofollow.h"
#include "core/file/whole.h"
#include "core/catalogue/summary.h"

#ifndef SESSFS_VERSION
#error "the Makefile defines the version"
#endif

#define CACHE_LIMIT ((size_t)64 << 20)

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
};

static struct head make_head(struct span records)
{
	struct head h = { .version = SESSFS_VERSION,
			  .format = 2,
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
	const char *caches = getenv("XDG_CACHE_HOME");
	const char *home = getenv("HOME");
	struct buf path = { 0 };
	struct stat st;
	char *folder = NULL;
	if (caches && caches[0] == '/')
		buf_adds(&path, caches);
	else if (home && home[0] == '/')
		buf_addf(&path, "%s/.cache", home);
	else
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
	if (path.len > 0 && buf_cstr(&path))
		return path.data;
	buf_free(&path);
	return NULL;
}

static bool read_bytes(struct list_cache *c)
{
	struct stat st;
	int fd = nofollow_open(NULL, c->path, O_RDONLY | O_NONBLOCK);
	if (fd < 0)
		return false;
	bool usable = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
		      is_private(&st) && st.st_size <= (off_t)CACHE_LIMIT;
	if (usable)
		usable = whole_read_file(fd, CACHE_LIMIT, &c->bytes) == 0;
	close(fd);
	return usable;
}

static int compare(const void *a, const void *b)
{
	const struct list_record *x = a;
	const struct list_record *y = b;
	return span_compare(x->path, y->path);
}

/* Consume a record at the start of `rest`; false if there is none. */
static bool take_record(struct span *rest, struct list_record *r)
{
	struct record_head h;
	if (rest->n < sizeof(h))
		return false;
	memcpy(&h, rest->p, sizeof(h));
	uint64_t after = (uint64_t)h.path + h.note;
	if (after > rest->n - sizeof(h))
		return false;
	const char *path = rest->p + sizeof(h);
	*r = (struct list_record){
		.path = { path, h.path },
		.note = { path + h.path, h.note },
		.of = h.of,
	};
	rest->p = path + after;
	rest->n -= sizeof(h) + (size_t)after;
	return true;
}

static bool read_records(struct list_cache *c)
{
	struct head h;
	struct span rest = buf_span(&c->bytes);
	if (rest.n < sizeof(h))
		return false;
	memcpy(&h, rest.p, sizeof(h));
	rest.p += sizeof(h);
	rest.n -= sizeof(h);
	const struct head want = make_head(rest);
	if (memcmp(&h, &want, sizeof(h)) != 0)
		return false;
	while (rest.n > 0) {
		struct list_record r;
		/* They are sorted. */
		if (!take_record(&rest, &r) ||
		    (c->n > 0 && compare(&c->records[c->n - 1], &r) >= 0) ||
		    array_reserve(&c->records, &c->cap, c->n, 1) < 0)
			return false;
		c->records[c->n++] = r;
	}
	return true;
}

void list_cache_read(struct list_cache *c)
{
	c->path = find_path();
	if (c->path && (!read_bytes(c) || !read_records(c)))
		c->n = 0;
}

void list_cache_free(struct list_cache *c)
{
	free(c->path);
	free(c->records);
	buf_free(&c->bytes);
	*c = (struct list_cache){ 0 };
}

struct list_record *list_cache_find(const struct list_cache *c,
				    struct span path)
{
	const struct list_record key = { .path = path };
	return c->n == 0
		       ? NULL
		       : bsearch(&key, c->records, c->n, sizeof(key), compare);
}

void list_cache_write(const struct list_cache *c, struct list_record *records,
		      size_t n)
{
	const struct stat like = { .st_mode = S_IFREG | 0600,
				   .st_uid = geteuid(),
				   .st_gid = getegid() };
	struct newfile f;
	struct buf bytes = { 0 };
	struct head h = { .format = 0 };
	buf_add(&bytes, (struct span){ (const char *)&h, sizeof(h) });
	if (n > 0)
		qsort(records, n, sizeof(*records), compare);
	for (size_t i = 0; i < n; i++) {
		const struct list_record *r = &records[i];
		const struct record_head rh = { r->of, (uint32_t)r->path.n,
						(uint32_t)r->note.n };
		if (bytes.len + sizeof(rh) + rh.path + rh.note > CACHE_LIMIT)
			continue;
		buf_add(&bytes, (struct span){ (const char *)&rh, sizeof(rh) });
		buf_add(&bytes, r->path);
		buf_add(&bytes, r->note);
	}
	if (c->path && !buf_error(&bytes)) {
		h = make_head((struct span){ bytes.data + sizeof(h),
					     bytes.len - sizeof(h) });
		memcpy(bytes.data, &h, sizeof(h));
		if (newfile_write(&f, NULL, c->path, buf_span(&bytes), &like,
				  false) == 0)
			newfile_commit(&f);
	}
	buf_free(&bytes);
}
