/*
 * A set of sources: what SOURCE is where there are several, such as the folders
 * of all agents. It is a folder that is on no disk:
 *
 *     NAME/   a source: a folder of sessions, or a session file
 *
 * Only what is at its path is shown, so a source that is missing appears when
 * it is made. Its path is without symlinks, as that of any place; a symlink
 * that is made there later is not followed.
 *
 * The set's attributes: it may be read by those who may read all of its
 * sources. Its time is that at which it was made, and differs with the sources
 * that are there.
 */
#ifndef SESSFS_SET_H
#define SESSFS_SET_H

#include <time.h>

#include "core/places/folder.h"

struct set_source {
	char *name;
	char *path;
};

struct source_set {
	struct set_source *list;
	size_t n;
	size_t cap;
	struct timespec since;
};

/* Add a source at an absolute path. The names differ. 0 or -ENOMEM. */
int set_add(struct source_set *set, struct span name, const char *path);
void set_free(struct source_set *set);

/* As folder_read() and folder_find(), with paths in the place of files. */
int set_read(const struct source_set *set, struct gate *g,
	     struct folder_list *list);
int set_find(const struct source_set *set, struct gate *g, struct span name,
	     struct folder_item *item);

/* The attributes, as place_stat() returns them. */
void set_stat(const struct source_set *set, struct gate *g, struct stat *st);

#endif
