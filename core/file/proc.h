/*
 * What processes have open, read from /proc.
 *
 * A process that has ended, or may not be inspected, has nothing: the functions
 * return 0 for it. They return -errno only if the error says nothing about the
 * process (fault_tells_nothing()).
 */
#ifndef SESSFS_PROC_H
#define SESSFS_PROC_H

#include <limits.h>
#include <sys/types.h>

/* The error of a call that failed, by the rule above. */
int proc_error(int err);

/* Read a link, which is not followed, and add a NUL. 1, 0 or -errno. */
int proc_link(int at, const char *name, char to[PATH_MAX]);

/* Read the start of a file, and add a NUL. Its length, 0 or -errno. */
ssize_t proc_read(int at, const char *name, char *to, size_t size);

/*
 * Call look() for each descriptor of a process, with the open folder of their
 * links and the name of one, until it returns another value than 0. Returns
 * that value, 0 or -errno. `process` is the open folder of the process.
 */
typedef int proc_look_fn(int fds, const char *name, void *data);
int proc_descriptors(int process, proc_look_fn *look, void *data);

#endif
