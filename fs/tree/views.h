/*
 * Folders in a session whose files are made of something else than its entries.
 *
 * by-file/: folders named after the paths of files, and links to the entries
 * that touched them (core/show/touches.h). The entry of a folder's node is the
 * folder's number, and that of a link's node the entry, with nth of its
 * touches: both determine the target.
 *
 *     by-file/src/wc.c/0012-edit -> ../../../by-id/9f3c1a2b
 *
 * path/: links from the root to HEAD (core/show/step_name.h).
 *
 * as/: the context in other forms (core/as/form.h). nth of a file's node is the
 * number of its form.
 *
 * files/: the files as they were (core/files/files_at.h); and files.txt beside
 * it. nth of a folder's node is its number (touches_folder()), 0 that of files/
 * itself. The node of a file in an entry's is numbered by the entry from which
 * it counts: entries below that have the same file. In the root's it is a node
 * of its own.
 *
 * as/ and files/ are those at HEAD in a session's root, and those at an entry
 * in the entry's folders.
 *
 * The session is entered in all functions. Errors are negative errno values;
 * -EAGAIN as for render_file().
 */
#ifndef SESSFS_VIEWS_H
#define SESSFS_VIEWS_H

#include "fs/tree/node.h"

struct view {
	/* Find a file in a folder: 0 or -ENOENT. */
	int (*find)(const struct node *dir, struct span name, struct node *n);
	/*
	 * The file from *at on: 1 with its name appended and *at after it, or 0
	 * at the end. Optionally, the same of folders, which precede these.
	 */
	int (*next)(const struct node *dir, uint32_t *at, struct buf *name,
		    struct node *n);
	int (*next_folder)(const struct node *dir, uint32_t *at,
			   struct buf *name, struct node *n);
	/* The folder around one; optional in the root. */
	struct node (*around)(const struct node *dir);
};

extern const struct view path_view;
extern const struct view file_links_view;
extern const struct view forms_view;
extern const struct view files_view;

/* Does the folder or the file of a node exist? 0 or -ENOENT. */
int file_links_check(const struct node *n);
int files_check(const struct node *n);

/* Append the target of a link in by-file/. */
int file_links_render(const struct session *s, const struct node *n,
		      struct buf *out);

/* The entry that a link leads to, by its path of n parts in by-file/. */
int file_links_resolve(const struct session *s, const struct span *path,
		       size_t n, uint32_t *entry, size_t *used);

/* Append the bytes of a file in as/. */
int forms_render(const struct session *s, const struct node *n,
		 struct buf *out);

/* Is it files/, or a folder in it? Is it a file in one? */
bool files_has(const struct node *dir);
bool files_is_file(const struct node *n);

/* What is known of a file. */
struct file_at;
int files_describe(const struct node *n, struct file_at *f);

/* Append the bytes of a file, or files.txt. */
int files_render(const struct session *s, const struct node *n,
		 struct buf *out);
int files_render_table(const struct session *s, const struct node *n,
		       struct buf *out);

#endif
