/*
 * Regular files that others write to, opened for reading by an absolute path
 * without symlinks (core/file/nofollow.h).
 *
 * Errors are negative errno values.
 */
#ifndef SESSFS_REGULAR_H
#define SESSFS_REGULAR_H

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "core/file/version.h"

struct gate;

/*
 * A descriptor, with the file's attributes in *st. -EISDIR or -EINVAL if it is
 * no regular file. Does not wait for a FIFO's writer.
 */
int regular_open(struct gate *g, const char *path, struct stat *st);

/* A file that is open, as regular_read_at() needs it; all is borrowed. */
struct regular {
	int fd;
	const char *path;
	struct version was;
	bool remote; /* its filesystem is one of those in remote.h */
	struct gate *gate;
};

/*
 * whole_read_at(). A remote file that can't be read any more is opened again
 * once, under the same descriptor, if the path still leads to the same inode
 * number: sshfs fails every read of a file that was open when its connection
 * broke. Several threads may read.
 */
ssize_t regular_read_at(const struct regular *f, void *to, size_t n,
			off_t offset);

#endif
