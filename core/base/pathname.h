/*
 * Paths as text. No file is looked at.
 */
#ifndef SESSFS_PATHNAME_H
#define SESSFS_PATHNAME_H

#include <stdbool.h>

/* FOLDER/NAME, for the caller to free; NULL without memory. */
char *pathname_join(const char *folder, const char *name);

/* Is an absolute path the folder, or below it? */
bool pathname_is_below(const char *path, const char *folder);

#endif
