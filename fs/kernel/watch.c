#include "fs/kernel/watch.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <time.h>
#include <unistd.h>

#include "core/base/array.h"
#include "core/file/gate.h"
#include "core/file/remote.h"
#include "core/json/timestamp.h"
#include "fs/edit/line_file.h"
#include "fs/kernel/fs.h"
#include "fs/kernel/notify.h"

/* After a wait that has failed. */
#define PAUSE_MS 100

static void close_wakes(struct watch *w)
{
	close(w->events.wake);
	close(w->chores.wake);
}

int watch_init(struct watch *w, struct fs *fs, double poll)
{
	*w = (struct watch){ .polls = poll > 0 };
	w->events.of = w->chores.of = w;
	w->poll_ms = (int64_t)((poll > 0 ? poll : WATCH_POLL) * 1000);
	w->events.wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (w->events.wake < 0)
		return -errno;
	w->chores.wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	int err = w->chores.wake < 0 ? -errno
				     : -pthread_mutex_init(&w->lock, NULL);
	if (err) {
		close_wakes(w);
		return err;
	}
	w->inotify = poll > 0 ? -1 : inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	w->fs = fs;
	return 0;
}

void watch_wake(struct watch_thread *t)
{
	eventfd_write(t->wake, 1);
}

/* Under the lock: a watch on the file, or -1. */
static int add_watch(struct watch *w, const struct log *log, uint32_t home)
{
	char room[GATE_PATH_SIZE];
	if (w->inotify < 0 || log->file->remote ||
	    array_reserve(&w->list, &w->cap, w->n, 1) < 0)
		return -1;
	int watch = inotify_add_watch(w->inotify,
				      gate_path(log->gate, log->path, room),
				      IN_MODIFY | IN_ATTRIB | IN_MOVE_SELF |
					      IN_DELETE_SELF | IN_DONT_FOLLOW);
	if (watch >= 0)
		w->list[w->n++] = (struct watched){ watch, home };
	return watch;
}

void watch_follow(struct watch *w, struct place *at)
{
	const struct log *log = &at->session->log;
	struct mark *mark = &attached_to(at)->mark;
	if (!log->exists || (mark->watch != 0 && mark->dev == log->st.st_dev &&
			     mark->ino == log->st.st_ino))
		return;
	watch_forget(w, at);
	pthread_mutex_lock(&w->lock);
	int watch = add_watch(w, log, at->home);
	pthread_mutex_unlock(&w->lock);
	mark->dev = log->st.st_dev;
	mark->ino = log->st.st_ino;
	__atomic_store_n(&mark->watch, watch, __ATOMIC_RELAXED);
	if (watch < 0 &&
	    !__atomic_exchange_n(&w->polls, true, __ATOMIC_RELAXED))
		watch_wake(&w->chores);
}

void watch_forget(struct watch *w, struct place *at)
{
	int watch = __atomic_exchange_n(&attached_to(at)->mark.watch, 0,
					__ATOMIC_RELAXED);
	if (watch <= 0)
		return;
	bool has_others = false;
	pthread_mutex_lock(&w->lock);
	for (size_t i = w->n; i-- > 0;) {
		if (w->list[i].watch != watch)
			continue;
		if (w->list[i].home == at->home)
			w->list[i] = w->list[--w->n];
		else
			has_others = true;
	}
	if (!has_others)
		inotify_rm_watch(w->inotify, watch);
	pthread_mutex_unlock(&w->lock);
}

bool watch_polls(const struct watch *w)
{
	return __atomic_load_n(&w->polls, __ATOMIC_RELAXED);
}

/* The places of a watch, from the end of the list on; pinned. NULL: no more. */
static struct place *next_watched(struct watch *w, size_t *i, int watch)
{
	struct place *found = NULL;
	pthread_mutex_lock(&w->lock);
	if (*i > w->n)
		*i = w->n;
	while (*i > 0 && !found) {
		const struct watched *of = &w->list[--*i];
		if (of->watch == watch)
			found = places_peek(w->fs->tree.places, of->home);
	}
	pthread_mutex_unlock(&w->lock);
	return found;
}

static void handle_event(struct watch *w, const struct inotify_event *e)
{
	size_t i = SIZE_MAX;
	struct place *at;
	while ((at = next_watched(w, &i, e->wd))) {
		/* inotify has dropped it, and may use its number again. */
		if (e->mask & IN_IGNORED) {
			pthread_mutex_lock(&at->lock);
			if (watch_mark(at) == e->wd)
				watch_forget(w, at);
			pthread_mutex_unlock(&at->lock);
		}
		notify_refresh(w->fs, at);
		place_put(at);
	}
}

/* Refresh the sessions in memory whose files are polled, or the others. */
static void refresh_sessions(struct watch *w, bool polled)
{
	uint32_t number = 0;
	struct place *at;
	while ((at = places_next_loaded(w->fs->tree.places, &number))) {
		bool is_wanted = (watch_mark(at) <= 0) == polled;
		if (is_wanted && polled)
			remote_refresh(at->places->opening.gate, at->path);
		if (is_wanted)
			notify_refresh(w->fs, at);
		place_put(at);
	}
}

static void handle_events(struct watch *w)
{
	_Alignas(struct inotify_event) char bytes[4096];
	ssize_t n;
	while ((n = read(w->inotify, bytes, sizeof(bytes))) > 0) {
		/* Successive events of one file refresh its session once. */
		int last = -1;
		for (const char *p = bytes; p < bytes + n;) {
			const struct inotify_event *e =
				(const struct inotify_event *)p;
			if (e->mask & IN_Q_OVERFLOW)
				refresh_sessions(w, false);
			else if (e->wd != last || e->mask & IN_IGNORED)
				handle_event(w, e);
			last = e->wd;
			p += sizeof(*e) + e->len;
		}
	}
}

/*
 * Wait until one of two descriptors can be read, or until that time. If poll(2)
 * fails, for lack of memory say, wait a moment: the caller looks at everything
 * anyway.
 */
static void wait_until(int wake, int events, int64_t due)
{
	struct pollfd fds[] = {
		{ .fd = wake, .events = POLLIN },
		{ .fd = events, .events = POLLIN },
	};
	const struct timespec pause = { .tv_nsec = PAUSE_MS * 1000000 };
	int64_t now = timestamp_monotonic();
	int ms = due == INT64_MAX ? -1 : due > now ? (int)(due - now) : 0;
	if (poll(fds, 2, ms) < 0 && errno != EINTR)
		nanosleep(&pause, NULL);
}

static bool is_stopping(struct watch_thread *t)
{
	eventfd_t count;
	/*
	 * Cleared before anything is looked at, so that no wake-up is lost. It
	 * fails if nobody woke the thread, which is no error.
	 */
	eventfd_read(t->wake, &count);
	return __atomic_load_n(&t->of->stopping, __ATOMIC_ACQUIRE);
}

static void *watch_events(void *data)
{
	struct watch_thread *t = data;
	struct watch *w = t->of;
	while (!is_stopping(t)) {
		wait_until(t->wake, w->inotify, resend_due(&w->fs->resend));
		resend_now(w->fs, false);
		handle_events(w);
	}
	return NULL;
}

static void *do_chores(void *data)
{
	struct watch_thread *t = data;
	struct watch *w = t->of;
	int64_t next_poll = INT64_MAX;
	while (!is_stopping(t)) {
		if (next_poll == INT64_MAX && watch_polls(w))
			next_poll = timestamp_monotonic() + w->poll_ms;
		int64_t due = line_edits_due(&w->fs->edit.lines);
		wait_until(t->wake, -1, next_poll < due ? next_poll : due);
		line_file_apply(&w->fs->edit, LINE_EDITS_ALL,
				timestamp_monotonic(), false);
		if (timestamp_monotonic() >= next_poll) {
			refresh_sessions(w, true);
			next_poll = timestamp_monotonic() + w->poll_ms;
		}
	}
	return NULL;
}

static int start(struct watch_thread *t, void *(*run)(void *data))
{
	int err = -pthread_create(&t->id, NULL, run, t);
	t->running = !err;
	return err;
}

int watch_start(struct watch *w)
{
	int err = start(&w->events, watch_events);
	int second = start(&w->chores, do_chores);
	return err ? err : second;
}

static void stop(struct watch_thread *t)
{
	if (!t->running)
		return;
	watch_wake(t);
	pthread_join(t->id, NULL);
	t->running = false;
}

void watch_free(struct watch *w)
{
	if (!w->fs)
		return;
	__atomic_store_n(&w->stopping, true, __ATOMIC_RELEASE);
	stop(&w->events);
	stop(&w->chores);
	close_wakes(w);
	if (w->inotify >= 0)
		close(w->inotify);
	free(w->list);
	pthread_mutex_destroy(&w->lock);
	w->fs = NULL;
}
