/*
 * Reading and writing all bytes of a request: an interrupted call is repeated,
 * and a short one continued.
 *
 * Errors are negative errno values.
 */
#ifndef SESSFS_WHOLE_H
#define SESSFS_WHOLE_H

#include <sys/types.h>

#include "core/base/buf.h"

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

/*
 * Write all bytes. Returns 0. After an error some of them may have been
 * written. -EIO if a write(2) writes nothing without an error.
 */
int whole_write(int fd, struct span bytes);
int whole_write_at(int fd, struct span bytes, off_t offset);

/*
 * A single write(2), repeated only if a signal came before its first byte.
 * Returns how many bytes were written, which may be fewer.
 */
ssize_t whole_write_once(int fd, struct span bytes);

#endif
