/*
 * The folder that was opened last, which stays open for the next files in it.
 *
 * For a reader of the files of a folder, one after the other: opening the
 * folder takes a call for each component of its path. A mount holds one for no
 * longer than a request, because a path may lead to another folder by the next.
 *
 * Threads may share it, and it has one folder for all of them.
 */
#ifndef SESSFS_HELD_FOLDER_H
#define SESSFS_HELD_FOLDER_H

#include <pthread.h>
#include <stdbool.h>
#include <sys/types.h>

#include "core/base/span.h"

struct held_folder {
	pthread_mutex_t lock; /* protects these */
	bool holds;
	char *path; /* or NULL */
	int fd;
	unsigned users;
	/* Of the filesystem that was asked about last. */
	bool knows;
	bool remote;
	dev_t dev;
};

void held_folder_init(struct held_folder *h);
void held_folder_free(struct held_folder *h);

/* Hold folders from now on. */
void held_folder_begin(struct held_folder *h);

/*
 * The descriptor of the folder at a path, if that is the one that is held; else
 * -1. In use until held_folder_done().
 */
int held_folder_use(struct held_folder *h, struct span path);

/* Hold a folder that was just opened, unless another one is in use. */
void held_folder_keep(struct held_folder *h, struct span path, int fd);

/*
 * remote_is() of an open file with this st_dev. The filesystem is asked once
 * for several files of it in turn, while folders are held.
 */
bool held_folder_is_remote(struct held_folder *h, int fd, dev_t dev);

/* After a use of a folder, held or not: then it is closed. */
void held_folder_done(struct held_folder *h, int fd);

#endif
