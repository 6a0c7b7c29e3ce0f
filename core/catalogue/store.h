/*
 * What has been found out about files, for all processes of this user: the
 * catalogue's cache on the disk, $XDG_CACHE_HOME/sessfs/list, or
 * ~/.cache/sessfs/list.
 *
 * A record is of one version of a file (core/file/version.h);
 * summary_is_current() has what else its note depends on. A file that is no
 * session has an empty note. The store is used only if its folder and it belong
 * to this user and nobody else may write there. One that is damaged, of another
 * version of sessfs or too large counts as empty, and one that can't be written
 * stays as it is: calls take longer then. It may be lost at any time.
 *
 * Writing. It is replaced as a whole, by a file of mode 0600. Who writes locks
 * the folder and reads again what others have written since, so two processes
 * at once lose nothing, unless one
 * is stopped meanwhile. A record goes when nobody has used it for STORE_DAYS,
 * or when its file is not found where somebody has looked for it.
 */
#ifndef SESSFS_STORE_H
#define SESSFS_STORE_H

#include "core/base/buf.h"
#include "core/file/version.h"

#define STORE_DAYS 60

struct store_record {
	struct span path; /* absolute, without symlinks */
	struct span note; /* borrowed, as the path */
	struct version of;
	uint32_t used; /* the last day, since 1970 */
};

struct store {
	char *path; /* NULL: there is none */
	struct buf bytes;
	struct version version; /* of the file that was read */
	uint32_t today;		/* since 1970 */
	uint32_t *at;		/* private: of records in the bytes, by path */
	size_t n;
	size_t cap;
};

/* Read it into a zeroed struct, which store_free() takes. */
void store_read(struct store *s);
void store_free(struct store *s);

/*
 * The record of a file; false: there is none. *near is where the one before was
 * found, and starts at 0: who asks in the order of paths is answered at once.
 */
bool store_find(const struct store *s, size_t *near, struct span path,
		struct store_record *r);

/* Is it to be written that the record was used? */
bool store_is_aged(const struct store *s, const struct store_record *r);

/* What to write. */
struct store_news {
	struct store_record *made; /* new records; `used` is set */
	size_t n_made;
	void *data;
	/* Is nobody interested in a file's record any more, as it is gone? */
	bool (*is_gone)(void *data, struct span path);
	/* Was the record of this file, of this version, of use? */
	bool (*is_used)(void *data, const struct store_record *r);
};

/* Write it, if that changes anything. Sorts the new records. */
void store_write(const struct store *s, const struct store_news *news);

#endif
