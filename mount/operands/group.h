/*
 * A folder of links to sessions in a mount of several sources: by-project/,
 * by-day/, and the folders in them.
 */
#ifndef SESSFS_GROUP_H
#define SESSFS_GROUP_H

#include <stddef.h>

/* Paths, which group_free() frees. */
struct group {
	char **list;
	size_t n;
	size_t cap;
};

/* Add the sessions and folders of a group, or the path if it is none: 0 or
   -ENOMEM. */
int group_add(struct group *g, const char *path);
void group_free(struct group *g);

#endif
