/*
 * The watching thread. It notices changes of session files that nobody asks
 * for, so that the kernel's caches are invalidated all the same
 * (fs/kernel/notify.h).
 *
 * It waits for inotify's events on the files of the sessions in memory
 * (fs/kernel/watch_marks.h), and enters a session once for each. Files that
 * inotify can't watch it opens every so many seconds instead. The kernel caches
 * nothing that can change of sessions that are not in memory.
 *
 * Requests do not depend on this: each looks at the file by itself. Only on
 * remote filesystems (core/file/remote.h) does a request see the attributes of
 * the last open.
 *
 * The thread also applies truncations that are due (fs/edit/line_file.h) and
 * resends invalidations (fs/kernel/resend.h).
 */
#ifndef SESSFS_WATCH_H
#define SESSFS_WATCH_H

#include <pthread.h>

#include "fs/kernel/watch_marks.h"

/* How often files are polled, in seconds, unless an option changes it. */
#define WATCH_POLL 1.0

struct fs;

struct watch {
	struct fs *fs; /* NULL: not initialized */
	struct marks marks;
	int64_t poll_ms; /* between two polls */
	int wake;	 /* an eventfd */
	pthread_t thread;
	bool running;
	bool stopping; /* atomic access */
};

/*
 * `poll` is in seconds: above 0, all files are polled that often. With 0 only
 * those that inotify can't watch are, every WATCH_POLL seconds. 0 or -errno.
 */
int watch_init(struct watch *w, struct fs *fs, double poll);

/*
 * Start the thread: 0 or -errno. Threads do not survive fork(2), so the process
 * that serves the mount must start it.
 */
int watch_start(struct watch *w);

/* Stop the thread and free. No session must be entered. */
void watch_free(struct watch *w);

/* Make the thread compute its next deadline again. */
void watch_wake(struct watch *w);

/* marks_follow() and marks_forget(), with their contracts. */
void watch_follow(struct watch *w, struct place *at);
void watch_forget(struct watch *w, struct place *at);

#endif
