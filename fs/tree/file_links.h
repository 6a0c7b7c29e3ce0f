/*
 * by-file/: folders named after the paths of files, and links to the entries
 * that touched them (core/show/touches.h).
 *
 *     by-file/src/wc.c/0012-edit -> ../../../by-id/9f3c1a2b
 *
 * The entry of a folder's node is the folder's number, and that of a link's
 * node the entry, with nth of its touches: both determine the target. The
 * session is entered in all functions. Errors are negative errno values;
 * -EAGAIN as for render_file().
 */
#ifndef SESSFS_FILE_LINKS_H
#define SESSFS_FILE_LINKS_H

#include "fs/tree/node.h"

/* Is it by-file/, or a folder in it? */
bool file_links_has(const struct node *dir);

/* Does the folder or the link of a node exist? 0 or -ENOENT. */
int file_links_check(const struct node *n);

/* Find a file in a folder: 0 or -ENOENT. */
int file_links_find(const struct node *dir, struct span name, struct node *n);

/*
 * The folder, or the link, from *at on: 1 with its name appended and *at after
 * it, or 0 at the end.
 */
int file_links_next_folder(const struct node *dir, uint32_t *at,
			   struct buf *name, struct node *n);
int file_links_next(const struct node *dir, uint32_t *at, struct buf *name,
		    struct node *n);

/* The folder around one. */
struct node file_links_around(const struct node *dir);

/* Append the target of a link. */
int file_links_render(const struct session *s, const struct node *n,
		      struct buf *out);

/* The entry that a link leads to, by its path of n parts in by-file/. */
int file_links_resolve(const struct session *s, const struct span *path,
		       size_t n, uint32_t *entry, size_t *used);

#endif
