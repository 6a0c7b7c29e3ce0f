/*
 * Marks: which session files inotify watches, and for which places.
 *
 * A session in memory has a mark on its file. Where inotify can't serve (a
 * remote filesystem, too many watches, or polling was asked for), the file is
 * marked for polling instead. Places that have the same file share an inotify
 * watch.
 *
 * A place's mark is protected by place.lock. `marks.lock` protects the list of
 * watches; it is locked after place.lock.
 */
#ifndef SESSFS_WATCH_MARKS_H
#define SESSFS_WATCH_MARKS_H

#include <pthread.h>

#include "core/places/places.h"

/* Of a place; zeroed: none is set. */
struct mark {
	bool is_set; /* atomic access */
	int watch;   /* inotify's, from 1; -1: poll; atomic access */
	dev_t dev;   /* the file's */
	ino_t ino;
};

/* An inotify watch, and the home of a place that it is for. */
struct marked {
	int watch;
	uint32_t home;
};

struct marks {
	int events;    /* inotify's descriptor, or -1 */
	bool poll_all; /* poll all files, even where inotify could serve */

	pthread_mutex_t lock;
	struct marked *list;
	size_t n;
	size_t cap;
	bool polls; /* some file has to be polled, or had to be once */
};

/* 0 or -errno, with nothing to free. */
int marks_init(struct marks *m, bool poll_all);
void marks_free(struct marks *m);

/*
 * Mark the file that a place's session has now, if it has another mark or none.
 * The session is entered and the caller holds place.lock. Changes before this
 * call may have caused no event, so the caller enters again afterwards. True if
 * this is the first file that has to be polled.
 */
bool marks_follow(struct marks *m, struct place *at);

/* Unset a place's mark. The caller holds place.lock. */
void marks_forget(struct marks *m, struct place *at);

/* Has the place a mark? Does inotify watch its file? Both without a lock. */
bool marks_is_set(const struct place *at);
bool marks_is_watched(const struct place *at);

/* Does the place's file have to be polled? Takes place.lock. */
bool marks_is_polled(struct place *at);

/* Does any file have to be polled? */
bool marks_polls(struct marks *m);

/*
 * For inotify's events: iterate over the places of a watch, pinned; NULL at the
 * end. *at is the position and starts at SIZE_MAX. In between, marks may be set
 * and unset.
 */
struct place *marks_next(struct marks *m, struct places *places, size_t *at,
			 int watch);

/* For IN_IGNORED: inotify has dropped the watch, and may use its number again.
 */
void marks_drop(struct marks *m, struct place *at, int watch);

#endif
