/*
 * files/: the files as they were (core/files/files_at.h), at HEAD in a
 * session's root, and at an entry in the entry's folders; and files.txt beside
 * it.
 *
 * nth of a folder's node is its number (touches_dir()), 0 that of files/
 * itself. The node of a file in an entry's is numbered by the entry from which
 * it counts: entries below that have the same file. In the root's it is a node
 * of its own.
 *
 * The session is entered in all functions. Errors are negative errno values;
 * -EAGAIN as for render_file().
 */
#ifndef SESSFS_FILES_TREE_H
#define SESSFS_FILES_TREE_H

#include "fs/tree/node.h"

/* Is it files/, or a folder in it? */
bool files_has(const struct node *dir);

/* Is it a file in one? */
bool files_is_file(const struct node *n);

/* Does the folder or the file of a node exist? 0 or -ENOENT. */
int files_check(const struct node *n);

/* Find a file in a folder: 0 or -ENOENT. */
int files_find(const struct node *dir, struct span name, struct node *n);

/*
 * The file from *at on: 1 with its name appended and *at after it, or 0 at the
 * end.
 */
int files_next(const struct node *dir, uint32_t *at, struct buf *name,
	       struct node *n);

/* The folder around one. */
struct node files_around(const struct node *dir);

/* Of a file: the entry that has made it, its size, and whether it can be
 * executed. */
int files_describe(const struct node *n, uint32_t *entry, uint64_t *size,
		   bool *executable);

/* Append the bytes of a file, or files.txt. */
int files_render(const struct session *s, const struct node *n,
		 struct buf *out);
int files_render_table(const struct session *s, const struct node *n,
		       struct buf *out);

#endif
