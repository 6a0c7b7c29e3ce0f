/*
 * The descriptors of files that are read again and again.
 *
 * The one that was used longest ago is closed when another needs its room, and
 * its owner opens the file again before it reads. There is room for OPEN_FILES,
 * or for an eighth of what the process may open if that is less. The others are
 * for its threads: each may have several open while it walks to a file, locks
 * it or makes one. More are open while they are all in use.
 *
 * All sessions of a mount share one struct open_files, which their gate has.
 * Threads may share it. NULL stands for one in which descriptors stay open.
 */
#ifndef SESSFS_OPEN_FILES_H
#define SESSFS_OPEN_FILES_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#define OPEN_FILES 256

/* Its open_files protect it. */
struct descriptor {
	int fd; /* -1: closed */
	bool was_evicted;
	unsigned users;
	struct descriptor *older; /* in the list of all by last use */
	struct descriptor *newer;
};

struct open_files {
	pthread_mutex_t lock; /* protects these, and each in the list */
	struct descriptor ends;
	size_t n;
	size_t most;
};

void open_files_init(struct open_files *f);

/*
 * Keep fd, or with -1 nothing, in place of the one that is kept, which no
 * thread uses and is closed.
 */
void open_files_keep(struct open_files *f, struct descriptor *d, int fd);

/*
 * The one that is kept, which stays open until open_files_done(); -1 and
 * nothing to be done if it is closed. Then fd, if it is not -1, is kept from
 * here on; else it is closed.
 */
int open_files_use(struct open_files *f, struct descriptor *d, int fd);
void open_files_done(struct open_files *f, struct descriptor *d);

/*
 * Has it been evicted since open_files_keep()? `same`: the file at the path is
 * known to be the one that was open then, so if it is open again that is
 * forgotten.
 */
bool open_files_was_evicted(struct open_files *f, struct descriptor *d,
			    bool same);

/*
 * If `err` is -EMFILE or -ENFILE, close the descriptor that was used longest
 * ago. True if the caller should try again, false for other errors or if none
 * can be closed.
 */
bool open_files_make_room(struct open_files *f, int err);

#endif
