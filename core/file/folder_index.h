/*
 * Finding files by a part of their names, such as an id.
 *
 * The cache keeps the names in the folders that were asked for last, so that
 * thousands of sessions that each look for another one do not each read the
 * whole folder. A folder that has changed, or may have, is read again. Threads
 * may share a cache; others wait while one reads a folder.
 */
#ifndef SESSFS_FOLDER_INDEX_H
#define SESSFS_FOLDER_INDEX_H

#include "core/base/buf.h"

struct gate;
struct folder_index;

/* NULL without memory. */
struct folder_index *folder_index_new(void);
void folder_index_free(struct folder_index *c); /* NULL is allowed */

/* The part of a name by which it is found; empty: by none. */
typedef struct span name_key(struct span name);

/*
 * Append the name in a folder whose key is this one, but for the case of its
 * letters; the first if there are several. 1, 0 if there is none, or -errno if
 * the folder can't be read. Without a cache (NULL) it is read each time.
 */
int folder_index_find(struct folder_index *c, struct gate *g,
		      const char *folder, name_key *key, struct span wanted,
		      struct buf *name);

#endif
