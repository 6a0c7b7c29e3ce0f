/*
 * Writing label files (DESIGN.md, "label").
 *
 * A write is applied at once, as to a file: the bytes take the place of those
 * at that offset, and the result must be a label, or nothing happens. The
 * answer is known when write(2) returns.
 *
 * `echo TEXT >label` truncates first, which clears; when a write of the same
 * process then turns out to be no label, the cleared one is set again. This is
 * what struct truncation remembers: the last one only, and not for long.
 */
#ifndef SESSFS_LABEL_H
#define SESSFS_LABEL_H

#include <pthread.h>
#include <sys/types.h>
#include <time.h>

#include "fs/kind.h"

#define LABEL_LIMIT 1024

struct truncation {
	pthread_mutex_t lock;
	uint64_t ino; /* 0: none */
	pid_t pid;
	struct timespec when;
	struct buf label; /* what was cleared */
};

struct fs;

int truncation_init(struct truncation *t);
void truncation_free(struct truncation *t);

/* Is it a label: one line of UTF-8, no control characters, short enough? */
bool label_is_valid(struct span text);

/* The session must not be entered. 0 or -errno. */
int label_truncate(struct fs *fs, uint64_t ino, uint64_t size, pid_t pid);
int label_write(struct fs *fs, uint64_t ino, uint64_t offset, struct span data,
		pid_t pid);

#endif
