#include "fs/kernel/watch.h"

#include <errno.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "core/file/remote.h"
#include "core/json/timestamp.h"
#include "fs/kernel/fs.h"
#include "fs/kernel/notify.h"

int watch_init(struct watch *w, struct fs *fs, double poll)
{
	*w = (struct watch){ 0 };
	w->poll_ms = (int64_t)((poll > 0 ? poll : WATCH_POLL) * 1000);
	w->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (w->wake < 0)
		return -errno;
	int err = marks_init(&w->marks, poll > 0);
	if (err)
		close(w->wake);
	else
		w->fs = fs;
	return err;
}

void watch_wake(struct watch *w)
{
	eventfd_write(w->wake, 1);
}

void watch_follow(struct watch *w, struct place *at)
{
	if (marks_follow(&w->marks, at))
		watch_wake(w);
}

void watch_forget(struct watch *w, struct place *at)
{
	marks_forget(&w->marks, at);
}

static void handle_event(struct watch *w, const struct inotify_event *e)
{
	/* Backwards: entering a session may remove its mark, or add one. */
	size_t i = marks_count(&w->marks);
	while (i-- > 0) {
		struct place *at =
			marks_place(&w->marks, w->fs->tree.places, i, e->wd);
		if (!at)
			continue;
		if (e->mask & IN_IGNORED)
			marks_drop(&w->marks, at, e->wd);
		notify_refresh(w->fs, at);
		place_put(at);
	}
}

/* Refresh all sessions in memory, or those whose files are polled. */
static void refresh_sessions(struct watch *w, bool all)
{
	uint32_t number = 0;
	struct place *at;
	while ((at = places_next_loaded(w->fs->tree.places, &number))) {
		bool polled = marks_is_polled(at);
		if (polled)
			remote_refresh(at->path);
		if (all || polled)
			notify_refresh(w->fs, at);
		place_put(at);
	}
}

static void handle_events(struct watch *w)
{
	_Alignas(struct inotify_event) char bytes[4096];
	ssize_t n;
	while ((n = read(w->marks.events, bytes, sizeof(bytes))) > 0) {
		/* Successive events of one file refresh its session once. */
		int last = -1;
		for (const char *p = bytes; p < bytes + n;) {
			const struct inotify_event *e =
				(const struct inotify_event *)p;
			if (e->mask & IN_Q_OVERFLOW)
				refresh_sessions(w, true);
			else if (e->wd != last || e->mask & IN_IGNORED)
				handle_event(w, e);
			last = e->wd;
			p += sizeof(*e) + e->len;
		}
	}
}

/* For poll(2): the ms until then, or -1 for no limit. */
static int ms_until(int64_t then)
{
	int64_t now = timestamp_monotonic();
	if (then == INT64_MAX)
		return -1;
	return then > now ? (int)(then - now) : 0;
}

/* Wait for an event, or until `next_poll` or another deadline. */
static int wait_for_event(struct watch *w, int64_t next_poll, bool *events)
{
	struct pollfd fds[] = {
		{ .fd = w->wake, .events = POLLIN },
		{ .fd = w->marks.events, .events = POLLIN },
	};
	int64_t due = next_poll;
	int64_t resend = resend_due(&w->fs->resend);
	int64_t settle = edit_due(&w->fs->edit);
	due = resend < due ? resend : due;
	due = settle < due ? settle : due;
	int n = poll(fds, 2, ms_until(due));
	*events = n > 0 && fds[1].revents;
	return n < 0 && errno != EINTR ? -errno : 0;
}

static bool is_stopping(struct watch *w)
{
	eventfd_t count;
	/*
	 * Cleared before anything is looked at, so that no wake-up is lost. It
	 * fails if nobody woke the thread, which is no error.
	 */
	eventfd_read(w->wake, &count);
	return __atomic_load_n(&w->stopping, __ATOMIC_ACQUIRE);
}

static void *run(void *data)
{
	struct watch *w = data;
	int64_t next_poll = INT64_MAX;
	bool events;
	while (!is_stopping(w)) {
		if (next_poll == INT64_MAX && marks_polls(&w->marks))
			next_poll = timestamp_monotonic() + w->poll_ms;
		if (wait_for_event(w, next_poll, &events) < 0)
			break;
		resend_now(w->fs, false);
		edit_try_due(&w->fs->edit);
		if (events)
			handle_events(w);
		/* Also while events keep arriving. */
		if (timestamp_monotonic() >= next_poll) {
			refresh_sessions(w, false);
			next_poll = timestamp_monotonic() + w->poll_ms;
		}
	}
	return NULL;
}

int watch_start(struct watch *w)
{
	int err = -pthread_create(&w->thread, NULL, run, w);
	w->running = !err;
	return err;
}

void watch_free(struct watch *w)
{
	if (!w->fs)
		return;
	if (w->running) {
		__atomic_store_n(&w->stopping, true, __ATOMIC_RELEASE);
		watch_wake(w);
		pthread_join(w->thread, NULL);
		w->running = false;
	}
	marks_free(&w->marks);
	close(w->wake);
	w->fs = NULL;
}
