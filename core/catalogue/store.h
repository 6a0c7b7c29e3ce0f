/*
 * What sessfs --list has found out about files, kept from one call to the next:
 * $XDG_CACHE_HOME/sessfs/list, or ~/.cache/sessfs/list.
 *
 * A record is of one version of a file (core/file/version.h). A file that is no
 * session has an empty note. The cache is used only if its folder and it belong
 * to this user and nobody else may write there. It is replaced as a whole, by a
 * file of mode 0600. A cache that is damaged, of another version of sessfs or
 * too large counts as empty, and one that can't be written stays as it is:
 * calls take longer then.
 */
#ifndef SESSFS_LIST_CACHE_H
#define SESSFS_LIST_CACHE_H

#include "core/base/buf.h"
#include "core/file/version.h"

struct list_record {
	struct span path; /* absolute, without symlinks */
	struct span note; /* borrowed, as the path */
	struct version of;
	/* The user's: its file was looked at, and has that version. */
	bool is_found;
	bool is_used;
};

struct list_cache {
	char *path; /* NULL: there is none */
	struct buf bytes;
	struct list_record *records; /* by path */
	size_t n;
	size_t cap;
};

/* Read it into a zeroed struct, which list_cache_free() takes. */
void list_cache_read(struct list_cache *c);
void list_cache_free(struct list_cache *c);

/* The record of a file, or NULL. */
struct list_record *list_cache_find(const struct list_cache *c,
				    struct span path);

/* Replace it by these records, which are sorted, as many as there is room for.
 */
void list_cache_write(const struct list_cache *c, struct list_record *records,
		      size_t n);

#endif
