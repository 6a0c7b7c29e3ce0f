/*
 * The folders that were opened last, which stay open for the next files in
 * them.
 *
 * For a reader of many files: opening a folder takes a call for each component
 * of its path. A mount holds them for no longer than a request, because a path
 * may lead to another folder by the next. The sessions of many projects come in
 * the order of their times, so more than one folder is held.
 *
 * The gates of several SOURCEs may share them (gate_hold_folders()), and so may
 * threads.
 */
#ifndef SESSFS_HELD_FOLDERS_H
#define SESSFS_HELD_FOLDERS_H

#include <pthread.h>
#include <stdbool.h>
#include <sys/types.h>

#include "core/base/span.h"

/* Or a sixteenth of the files that the process may open if that is less. */
#define HELD_FOLDERS 64

struct held_folder {
	char *path;
	int fd;
	unsigned users;
};

struct held_folders {
	pthread_mutex_t lock;		       /* protects these */
	struct held_folder list[HELD_FOLDERS]; /* by last use, latest first */
	size_t n;
	size_t most;
	/* Of the filesystem that was asked about last. */
	bool knows;
	bool remote;
	dev_t dev;
};

void held_folders_init(struct held_folders *h);
void held_folders_free(struct held_folders *h);

/*
 * The descriptor of the folder at a path if it is held, else -1. In use until
 * held_folders_done().
 */
int held_folders_use(struct held_folders *h, struct span path);

/*
 * Hold a folder that was just opened, in place of the one that was used longest
 * ago and is not in use. It is in use until held_folders_done().
 */
void held_folders_keep(struct held_folders *h, struct span path, int fd);

/*
 * remote_is() of an open file with this st_dev. The filesystem is asked once
 * for several files of it in turn.
 */
bool held_folders_is_remote(struct held_folders *h, int fd, dev_t dev);

/* After a use of a folder. One that is not held is closed. */
void held_folders_done(struct held_folders *h, int fd);

#endif
