/*
 * What `sessfs export` makes on the disk: files, links and folders, in a folder
 * that is open. An existing name is an error; symlinks are not followed. 0 or
 * -errno where nothing else is said.
 */
#ifndef SESSFS_EXPORT_DISK_H
#define SESSFS_EXPORT_DISK_H

#include <stdbool.h>
#include <sys/stat.h>

#include "core/base/span.h"

/* Create a file or a link with the mode and mtime of `like`. */
int export_write(int folder, const char *name, struct span bytes,
		 const struct stat *like);
int export_link(int folder, const char *name, const char *target,
		const struct stat *like);

/* A descriptor, or -errno. Until the end only the owner has access to it. */
int export_make_folder(int folder, const char *name);

/*
 * Set its mode and mtime, and close it. The owner keeps write access even if
 * `like` has none.
 */
int export_end_folder(int fd, const struct stat *like);

/* False, too, if that can't be told. */
bool export_is_empty(int folder);

/* A descriptor is open for each level, and folders may be deep. */
void export_raise_limit(void);

#endif
