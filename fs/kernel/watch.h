/*
 * The watching threads. They notice changes of session files that nobody asks
 * for, so that the kernel's caches are invalidated all the same
 * (fs/kernel/notify.h).
 *
 * One waits for inotify's events on the files of the sessions in memory
 * (fs/kernel/watch_marks.h), and enters a session once for each. It also
 * resends invalidations (fs/kernel/resend.h).
 *
 * The other does what may take long, so that a server that does not answer
 * holds up no session on a local disk. It opens the files that inotify can't
 * watch every so many seconds, and applies truncations that are due
 * (fs/edit/line_file.h).
 *
 * The kernel caches nothing that can change of sessions that are not in memory.
 *
 * Requests do not depend on this: each looks at the file by itself. Only on
 * remote filesystems (core/file/remote.h) does a request see the attributes of
 * the last open.
 */
#ifndef SESSFS_WATCH_H
#define SESSFS_WATCH_H

#include <pthread.h>

#include "fs/kernel/watch_marks.h"

/* How often files are polled, in seconds, unless an option changes it. */
#define WATCH_POLL 1.0

struct fs;

struct watch_thread {
	struct watch *of;
	pthread_t id;
	int wake; /* an eventfd */
	bool running;
};

struct watch {
	struct fs *fs; /* NULL: not initialized */
	struct marks marks;
	int64_t poll_ms; /* between two polls */
	struct watch_thread events;
	struct watch_thread chores; /* polls and truncations */
	bool stopping;		    /* atomic access */
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

/* resend_due(), or edit_due(), may be sooner now. */
void watch_resend(struct watch *w);
void watch_settle(struct watch *w);

/* marks_follow() and marks_forget(), with their contracts. */
void watch_follow(struct watch *w, struct place *at);
void watch_forget(struct watch *w, struct place *at);

#endif
