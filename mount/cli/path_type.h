/*
 * What kind of file a path leads to.
 */
#ifndef SESSFS_PATH_TYPE_H
#define SESSFS_PATH_TYPE_H

#include <stdbool.h>
#include <sys/stat.h>

/* Is there something of this type, as S_IFDIR? Symlinks are followed. */
static inline bool path_type_is(const char *path, mode_t type)
{
	struct stat st;
	return stat(path, &st) == 0 && (st.st_mode & S_IFMT) == type;
}

#endif
