/*
 * Regular files that others write to, opened for reading by an absolute path
 * without symlinks (core/file/nofollow.h).
 */
#ifndef SESSFS_REGULAR_H
#define SESSFS_REGULAR_H

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "core/base/buf.h"
#include "core/file/gate.h"
#include "core/file/version.h"

/*
 * A descriptor, with the file's attributes in *st. -EISDIR or -EINVAL if it is
 * no regular file. Does not wait for a FIFO's writer.
 */
int regular_open(struct gate *g, const char *path, struct stat *st);

/* Append a file's bytes. 0 or -errno: -EFBIG if it has more than `limit`. */
int regular_read(struct gate *g, const char *path, off_t limit, struct stat *st,
		 struct buf *out);

/* A file that is read again and again. Its descriptor is one of the gate's
 * open_files. */
struct regular {
	struct gate *gate;
	const char *path; /* borrowed */
	struct version was;
	bool remote; /* its filesystem is one of those in remote.h */
	struct descriptor held;
};

/* A file that is not open yet; NULL without memory. */
struct regular *regular_new(struct gate *g, const char *path);
void regular_free(struct regular *f); /* NULL is allowed */

/*
 * Open the file that the path names, in place of the one that is open, and set
 * `was`. 0, or -errno and nothing is changed. No thread reads meanwhile.
 */
int regular_renew(struct regular *f, struct stat *st);

/*
 * whole_read_at(). A closed file is opened again; -ESTALE if the path leads to
 * another inode number. A remote file that can't be read any more is opened
 * again once, under the same descriptor: sshfs fails every read of a file that
 * was open when its connection broke. Several threads may read.
 */
ssize_t regular_read_at(struct regular *f, void *to, size_t n, off_t offset);

#endif
