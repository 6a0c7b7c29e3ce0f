/*
 * Calls for files that are whole: an interrupted one is repeated, and a short
 * read or write continued.
 */
#ifndef SESSFS_WHOLE_H
#define SESSFS_WHOLE_H

#include <sys/types.h>

#include "core/base/buf.h"

/*
 * openat(2), repeated when a signal interrupts it, with O_CLOEXEC and
 * O_NOFOLLOW. The mode is for O_CREAT. A descriptor, or -errno.
 */
int whole_open(int folder, const char *name, int flags, mode_t mode);

/*
 * Read n bytes, or up to the end of the file. Returns how many were read. After
 * an error the contents of `to` are undefined. whole_read_at() leaves the file
 * offset alone, so threads may share fd.
 */
ssize_t whole_read(int fd, void *to, size_t n);
ssize_t whole_read_at(int fd, void *to, size_t n, off_t offset);

/*
 * Append the first n bytes of a file, or all if it has fewer, to `out`. Returns
 * 0. On an error `out` keeps the bytes that it had.
 */
int whole_read_file(int fd, size_t n, struct buf *out);

/* Append all that can be read up to the end, also of a pipe. 0 or -errno. */
int whole_read_all(int fd, struct buf *out);

/*
 * Write all bytes. Returns 0. After an error some of them may have been
 * written. -EIO if a write(2) writes nothing without an error.
 */
int whole_write(int fd, struct span bytes);
int whole_write_at(int fd, struct span bytes, off_t offset);

/* Write a buffer, and free it in any case. */
int whole_write_end(int fd, struct buf *b);

/*
 * A single write(2), repeated only if a signal came before its first byte.
 * Returns how many bytes were written, which may be fewer.
 */
ssize_t whole_write_once(int fd, struct span bytes);

/*
 * Wait for flock(2) LOCK_EX; so many milliseconds at most: -EBUSY then, since a
 * process that keeps the lock must not block us.
 */
int whole_lock(int fd);
int whole_lock_within(int fd, int ms);

/* fsync(2) or fdatasync(2), again if a signal interrupts it. */
int whole_sync(int fd, int (*sync)(int fd));

#endif
