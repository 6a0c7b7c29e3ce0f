/*
 * Starting other programs, and waiting for them.
 */
#ifndef SESSFS_SPAWN_H
#define SESSFS_SPAWN_H

#include "core/base/buf.h"

/*
 * Run a program of PATH, or at a path, with descriptors in place of the
 * standard ones; -1, or NULL: the one of this process. Returns its exit
 * status, 128 and the signal that ended it, or -errno.
 */
int spawn_wait(const char *const argv[], const int *fds);

/*
 * The same; `input`, if it is not NULL, is what the program reads, and `output`
 * gets what it prints on stdout, or on stderr if `of_stderr`.
 */
int spawn_filter(const char *const argv[], const struct buf *input,
		 struct buf *output, bool of_stderr);

/* Append the path of this program. */
void spawn_add_self(struct buf *out);

/* Is a program of this name in PATH, as spawn_wait() and execvp() look? */
bool spawn_finds(const char *name);

/* Is that this program? */
bool spawn_finds_self(const char *name);

#endif
