/*
 * as/: the context in other forms (core/as/form.h), that at HEAD in a session's
 * root, and that at an entry in the entry's folders. nth of a file's node is
 * the number of its form.
 *
 * The session is entered in all functions. Errors are negative errno values.
 */
#ifndef SESSFS_FORMS_H
#define SESSFS_FORMS_H

#include "fs/tree/node.h"

/* Is it such a folder? */
bool forms_has(const struct node *dir);

/* Find a file in one: 0 or -ENOENT. */
int forms_find(const struct node *dir, struct span name, struct node *n);

/*
 * The file from *at on: 1 with its name appended and *at after it, or 0 at the
 * end.
 */
int forms_next(const struct node *dir, uint32_t *at, struct buf *name,
	       struct node *n);

/* The folder around one. */
struct node forms_around(const struct node *dir);

/* Append the bytes of a file. */
int forms_render(const struct session *s, const struct node *n,
		 struct buf *out);

#endif
