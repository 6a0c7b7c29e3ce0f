/*
 * A folder of sessions, as it is on the disk just now.
 *
 *     x.jsonl   a regular file: the session x
 *     d/        a folder: d; where a session d is beside it, d%2F
 *
 * (Agents keep a folder of the same name beside a session.) A folder whose own
 * name ends in %2F has another one behind it, so that names stay one to one.
 * Nothing else has a name here: other files, symbolic links, which could lead
 * anywhere, and a session without a name of its own (".jsonl", "..jsonl",
 * "...jsonl", or one that ends like a folder's), or one that would be too long.
 *
 * What is in a file is not looked at, but for folder_has_session(). Paths are
 * absolute, and no part of one may be a link (core/file/nofollow.h).
 *
 * Errors are negative errno values.
 */
#ifndef SESSFS_FOLDER_H
#define SESSFS_FOLDER_H

#include <sys/stat.h>

#include "core/base/buf.h"

struct dialect;
struct dialect_registry;

struct folder_item {
	char *name;	/* as it is shown */
	char *file;	/* in the folder */
	struct stat st; /* of the file: a folder or a session */
};

struct folder_list {
	struct folder_item *items; /* by name */
	size_t n;
	size_t cap;
};

/* All of a folder at this path. Free the list also after an error. */
int folder_read(const char *path, struct folder_list *list);
void folder_list_free(struct folder_list *list);

/* What has that name in a folder: -ENOENT. Free the item after 0. */
int folder_find(const char *path, struct span name, struct folder_item *item);
void folder_item_free(struct folder_item *item);

/*
 * Does one of the dialects claim the first lines of the file? 1 if one does, 0
 * if none. A dialect that is `forced` claims all, and an empty file counts as a
 * session. A file that may not be read is none. -errno if the file could not be
 * read for another reason.
 */
int folder_has_session(const char *path,
		       const struct dialect_registry *dialects,
		       const struct dialect *forced);

#endif
