/*
 * Watching: noticing changes of session files that nobody asks for, so that the
 * kernel's caches are invalidated all the same (fs/kernel/notify.h).
 *
 * A session in memory has a mark on its file. It is an inotify watch. Where
 * inotify can't serve (a remote filesystem, too many watches, or polling was
 * asked for), the file is marked for polling instead. Places that have the same
 * file share a watch: hard links, and one that was renamed for a while. The
 * kernel caches nothing that can change of sessions that are not in memory.
 *
 * Two threads run. One waits for inotify's events, and enters a session once
 * for each. It also resends invalidations (fs/kernel/resend.h). The other does
 * what may take long, so that a server that does not answer holds up no session
 * on a local disk: it polls every so many seconds, and applies truncations that
 * are due (fs/edit/line_file.h).
 *
 * Requests do not depend on this: each looks at the file by itself. Only on
 * remote filesystems (core/file/remote.h) does a request see the attributes of
 * the last open.
 */
#ifndef SESSFS_WATCH_H
#define SESSFS_WATCH_H

#include <pthread.h>

#include "core/places/places.h"

/* How often files are polled, in seconds, unless an option changes it. */
#define WATCH_POLL 1.0

struct fs;

/* A place's mark, protected by place.lock. */
struct mark {
	int watch; /* inotify's, from 1; -1: poll; 0: no mark; atomic access */
	dev_t dev; /* the file's */
	ino_t ino;
};

/* An inotify watch, and the home of a place that it is for. */
struct watched {
	int watch;
	uint32_t home;
};

struct watch_thread {
	struct watch *of;
	pthread_t id;
	int wake; /* an eventfd */
	bool running;
};

struct watch {
	struct fs *fs; /* NULL: not initialized */
	int inotify;   /* its descriptor; -1: all files are polled */
	/* Some file has to be polled, or had to be once; atomic access. */
	bool polls;
	int64_t poll_ms; /* between two polls */
	struct watch_thread events;
	struct watch_thread chores; /* polls and truncations */
	bool stopping;		    /* atomic access */

	pthread_mutex_t lock; /* protects the list; its order: fs/kernel/fs.h */
	struct watched *list;
	size_t n;
	size_t cap;
};

/*
 * `poll` is in seconds: above 0, all files are polled that often. With 0 only
 * those that inotify can't watch are, every WATCH_POLL seconds. 0 or -errno.
 */
int watch_init(struct watch *w, struct fs *fs, double poll);

/*
 * Start the threads: 0, or -errno if one of them does not run. Threads do not
 * survive fork(2), so the process that serves the mount must start them.
 */
int watch_start(struct watch *w);

/* Stop the threads and free. No session must be entered. */
void watch_free(struct watch *w);

/* What a thread waits for, resend_due() or line_edits_due(), may be sooner. */
void watch_wake(struct watch_thread *t);

/*
 * Mark the file that a place's session has now, if it has another mark or none.
 * The session is entered. Changes before this call may have caused no event, so
 * the caller enters again afterwards. watch_forget() unsets the mark. The
 * caller of both holds place.lock.
 */
void watch_follow(struct watch *w, struct place *at);
void watch_forget(struct watch *w, struct place *at);

/* Does any file have to be polled? */
bool watch_polls(const struct watch *w);

#endif
