/*
 * A folder of sessions, as it is on the disk at the moment.
 *
 *     x.jsonl   a regular file: the session x
 *     d/        a folder: d, or d%2F if it is beside a session d
 *
 * (Agents keep a folder of the same name beside a session. core/places/ does
 * not show it where the session shows what is in it.) If the folder's own name
 * ends in %2F, another %2F is appended, so that names stay one to one.
 *
 * Nothing else is shown. Not symlinks, which could lead anywhere; not a folder
 * on which another sessfs is mounted (core/file/gate.h); and not a
 * session whose name would be empty, "." or "..", end in %2F, or be longer than
 * FILE_NAME_LIMIT.
 *
 * Only folder_has_session() reads files.
 */
#ifndef SESSFS_FOLDER_H
#define SESSFS_FOLDER_H

#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "core/base/buf.h"

struct dialect;
struct dialect_registry;
struct gate;

struct folder_item {
	char *name; /* as shown */
	char *file; /* its name in the folder */
	struct stat st;
};

/* Sessions that are compressed, NAME.jsonl.zst: they are not shown. */
struct compressed {
	uint32_t n;
	char *one; /* the path of one of them, or NULL */
};

struct folder_list {
	struct folder_item *items; /* by name */
	size_t n;
	size_t cap;
	struct compressed compressed;
	bool partial; /* files are missing whose attributes can't be read */
};

/*
 * List the folder at a path. A file that can't be looked at does not hide the
 * others. Free the list after an error, too.
 */
int folder_read(struct gate *g, const char *path, struct folder_list *list);

/* The same of one that is open; closes it (nofollow_open_dir()). */
int folder_read_open(struct gate *g, const char *path, DIR *dir,
		     struct folder_list *list);
void folder_list_free(struct folder_list *list);

/* Add what another folder has. */
void compressed_take(struct compressed *to, struct compressed *from);
void compressed_free(struct compressed *c);

/* Find the item with a shown name: 0, and the caller frees it, or -errno. */
int folder_find(struct gate *g, const char *path, struct span name,
		struct folder_item *item);
void folder_item_free(struct folder_item *item);

/*
 * Is the item a folder beside a session of its name? It is shown with %2F then,
 * and item->file is the name of the session.
 */
bool folder_item_is_beside(const struct folder_item *item);

/*
 * Are there sessions below a folder? Files are judged by their names. 1, 0, or
 * -errno: -E2BIG if so many folders have none, and there are more.
 */
#define FOLDER_LOOK_MOST 256
int folder_look_for_sessions(struct gate *g, const char *path);

/*
 * Does one of the dialects claim the first lines of the file? 1 if one does, 0
 * if none. A dialect that is `forced` claims all, and an empty file counts as a
 * session. -EACCES without read permission, or another -errno if the file could
 * not be read. *claimed is the dialect, or NULL.
 */
int folder_has_session(struct gate *g, const char *path,
		       const struct dialect_registry *dialects,
		       const struct dialect *forced,
		       const struct dialect **claimed);

#endif
