/*
 * Plain files with given modes and times, made one by one in a folder that is
 * open. Nothing that is there already is followed or replaced.
 *
 * Errors are negative errno values.
 */
#ifndef SESSFS_OUTFILE_H
#define SESSFS_OUTFILE_H

#include <sys/stat.h>

#include "core/base/buf.h"

/* `like` gives the mode and the mtime. */
int outfile_write(int folder, const char *name, struct span bytes,
		  const struct stat *like);
int outfile_link(int folder, const char *name, const char *target,
		 const struct stat *like);

/*
 * A folder: a descriptor, closed by outfile_finish_folder(), until when it is
 * its owner's alone. The owner can write to it ever after.
 */
int outfile_make_folder(int folder, const char *name);
int outfile_finish_folder(int fd, const struct stat *like);

#endif
