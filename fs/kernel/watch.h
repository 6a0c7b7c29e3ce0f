/*
 * Watching the files of sessions that are in memory, so that what the kernel
 * keeps is taken back (fs/kernel/notify.h) although nobody asks for anything.
 * Of others it keeps nothing that changes.
 *
 * A thread waits for inotify's events; each means that the session is entered
 * once. Where the filesystem gives none of what other machines or daemons do
 * (core/file/remote.h), where there are too many watches, or where it is asked
 * for, it opens the file every so many seconds instead. On a local filesystem
 * no request rests on either: every request looks for itself. On a remote one a
 * request sees the attributes of the last opening.
 */
#ifndef SESSFS_WATCH_H
#define SESSFS_WATCH_H

#include <pthread.h>

#include "core/places/places.h"

/* How often it looks where it has to, in seconds. */
#define WATCH_POLL 1.0

struct fs;

/* An inotify watch, and the home of the place that it is for. */
struct watched_file {
	int id;
	uint32_t home;
};

struct watch {
	struct fs *fs;
	double poll;   /* seconds */
	bool poll_all; /* even where there are events */
	int events;    /* of inotify, or -1 */
	int wake;      /* an eventfd: look at what follows */
	pthread_t thread;
	bool running;

	pthread_mutex_t lock;
	struct watched_file *files;
	size_t n;
	size_t cap;
	bool polls; /* some place has to be looked at */
	bool stopping;
};

/* `poll` in seconds is for all files; 0 is for those without events. */
int watch_init(struct watch *w, struct fs *fs, double poll);

/* Threads do not survive a fork: start in the process that serves. */
int watch_start(struct watch *w);

/* Stop and free; nothing must be entered. */
void watch_free(struct watch *w);

/* There is something to be sent again: fs/kernel/resend.h. */
void watch_wake(struct watch *w);

/*
 * Watch the file that the session has now, if that is not the one watched; what
 * came meanwhile may have been missed, so enter again. Under the place's lock,
 * with the session entered.
 */
void watch_follow(struct watch *w, struct place *at);

/* Watch it no more. Under the place's lock. */
void watch_forget(struct watch *w, struct place *at);

#endif
