/*
 * Plain files with given modes and times, created one by one in an open folder.
 * An existing name is an error (-EEXIST); symlinks are not followed.
 *
 * Errors are negative errno values.
 */
#ifndef SESSFS_OUTFILE_H
#define SESSFS_OUTFILE_H

#include <sys/stat.h>

#include "core/base/buf.h"

/* Create a file or a link with the mode and mtime of `like`. */
int outfile_write(int folder, const char *name, struct span bytes,
		  const struct stat *like);
int outfile_link(int folder, const char *name, const char *target,
		 const struct stat *like);

/*
 * Create a folder, and return a descriptor that outfile_finish_folder() closes.
 * Until then only the owner has access to it. The owner keeps write access even
 * if `like` has none.
 */
int outfile_make_folder(int folder, const char *name);
int outfile_finish_folder(int fd, const struct stat *like);

#endif
