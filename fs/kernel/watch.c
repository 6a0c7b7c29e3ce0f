#include "fs/kernel/watch.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "core/base/array.h"
#include "core/file/remote.h"
#include "core/json/timestamp.h"
#include "fs/kernel/fs.h"
#include "fs/kernel/notify.h"

int watch_init(struct watch *w, struct fs *fs, double poll)
{
	*w = (struct watch){ .fs = fs,
			     .poll = poll > 0 ? poll : WATCH_POLL,
			     .poll_all = poll > 0,
			     .polls = poll > 0 };
	w->events = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	w->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	int err = w->wake < 0 ? -errno : -pthread_mutex_init(&w->lock, NULL);
	if (err) {
		close(w->events);
		close(w->wake);
		w->fs = NULL;
	}
	return err;
}

/* Under the lock. */
static int remember(struct watch *w, int id, uint32_t home)
{
	if (array_reserve(&w->files, &w->cap, w->n, 1) < 0)
		return -ENOMEM;
	w->files[w->n++] = (struct watched_file){ id, home };
	return 0;
}

/* Under the lock: the watch goes with the last place that it is for. */
static void forget(struct watch *w, int id, uint32_t home)
{
	bool others = false;
	for (size_t i = w->n; i-- > 0;) {
		if (w->files[i].id != id)
			continue;
		if (w->files[i].home == home)
			w->files[i] = w->files[--w->n];
		else
			others = true;
	}
	if (!others)
		inotify_rm_watch(w->events, id);
}

void watch_wake(struct watch *w)
{
	eventfd_write(w->wake, 1);
}

void watch_follow(struct watch *w, struct place *at)
{
	const struct log *log = &at->session->log;
	struct watched *watched = &at->watched;
	if (!log->exists || (watched->any && watched->dev == log->st.st_dev &&
			     watched->ino == log->st.st_ino))
		return;
	watch_forget(w, at);
	pthread_mutex_lock(&w->lock);
	int id = -1;
	if (!w->poll_all && w->events >= 0 && !log->remote)
		id = inotify_add_watch(w->events, log->path,
				       IN_MODIFY | IN_ATTRIB | IN_MOVE_SELF |
					       IN_DELETE_SELF | IN_DONT_FOLLOW);
	if (id >= 0 && remember(w, id, at->home) < 0) {
		forget(w, id, at->home);
		id = -1;
	}
	watched->dev = log->st.st_dev;
	watched->ino = log->st.st_ino;
	__atomic_store_n(&watched->id, id, __ATOMIC_RELAXED);
	__atomic_store_n(&watched->any, true, __ATOMIC_RELAXED);
	if (id < 0 && !w->polls) {
		w->polls = true;
		watch_wake(w);
	}
	pthread_mutex_unlock(&w->lock);
}

void watch_forget(struct watch *w, struct place *at)
{
	if (at->watched.any && at->watched.id >= 0) {
		pthread_mutex_lock(&w->lock);
		forget(w, at->watched.id, at->home);
		pthread_mutex_unlock(&w->lock);
	}
	__atomic_store_n(&at->watched.any, false, __ATOMIC_RELAXED);
	__atomic_store_n(&at->watched.id, 0, __ATOMIC_RELAXED);
}

/* The place of the i-th watch, pinned, if it is that of an event. */
static struct place *watched_place(struct watch *w, size_t i, int id)
{
	struct place *at = NULL;
	pthread_mutex_lock(&w->lock);
	if (i < w->n && w->files[i].id == id)
		at = places_peek(w->fs->tree.places, w->files[i].home);
	pthread_mutex_unlock(&w->lock);
	return at;
}

/* The kernel has dropped the watch, and may give its id to another. */
static void drop_watch(struct watch *w, struct place *at, int id)
{
	pthread_mutex_lock(&at->lock);
	if (at->watched.any && at->watched.id == id)
		watch_forget(w, at);
	pthread_mutex_unlock(&at->lock);
}

static void handle_event(struct watch *w, const struct inotify_event *e)
{
	/* From the end: what is looked at may be forgotten, or watched anew. */
	pthread_mutex_lock(&w->lock);
	size_t i = w->n;
	pthread_mutex_unlock(&w->lock);
	while (i-- > 0) {
		struct place *at = watched_place(w, i, e->wd);
		if (!at)
			continue;
		if (e->mask & IN_IGNORED)
			drop_watch(w, at, e->wd);
		notify_look(w->fs, at);
		place_put(at);
	}
}

static bool is_polled(struct place *at)
{
	pthread_mutex_lock(&at->lock);
	bool polled = !at->watched.any || at->watched.id < 0;
	pthread_mutex_unlock(&at->lock);
	return polled;
}

/* Look at all sessions in memory, or at those that nothing is told about. */
static void look_around(struct watch *w, bool all)
{
	uint32_t number = 0;
	struct place *at;
	while ((at = places_next_loaded(w->fs->tree.places, &number))) {
		bool polled = is_polled(at);
		if (polled)
			remote_refresh(at->path);
		if (all || polled)
			notify_look(w->fs, at);
		place_put(at);
	}
}

static void handle_events(struct watch *w)
{
	_Alignas(struct inotify_event) char bytes[4096];
	ssize_t n;
	while ((n = read(w->events, bytes, sizeof(bytes))) > 0) {
		/* Events of a file that were read at once are one look. */
		int last = -1;
		for (const char *p = bytes; p < bytes + n;) {
			const struct inotify_event *e =
				(const struct inotify_event *)p;
			if (e->mask & IN_Q_OVERFLOW)
				look_around(w, true);
			else if (e->wd != last || e->mask & IN_IGNORED)
				handle_event(w, e);
			last = e->wd;
			p += sizeof(*e) + e->len;
		}
	}
}

/* When to look at what is polled: set once that is needed. */
static void plan_look(struct watch *w, int64_t *next)
{
	pthread_mutex_lock(&w->lock);
	bool polls = w->polls;
	pthread_mutex_unlock(&w->lock);
	if (polls && *next == INT64_MAX)
		*next = timestamp_monotonic() + (int64_t)(w->poll * 1000);
}

/* How long to wait, in ms: -1 is until there is an event. */
static int wait_ms(int64_t until)
{
	int64_t now = timestamp_monotonic();
	if (until == INT64_MAX)
		return -1;
	return until > now ? (int)(until - now) : 0;
}

static bool is_stopping(struct watch *w)
{
	eventfd_t count;
	/*
	 * Nothing to read is no error: it only wakes. First, so that what it
	 * woke us for is seen.
	 */
	eventfd_read(w->wake, &count);
	pthread_mutex_lock(&w->lock);
	bool stopping = w->stopping;
	pthread_mutex_unlock(&w->lock);
	return stopping;
}

static void *watch_run(void *data)
{
	struct watch *w = data;
	int64_t next = INT64_MAX;
	while (!is_stopping(w)) {
		struct pollfd fds[] = {
			{ .fd = w->wake, .events = POLLIN },
			{ .fd = w->events, .events = POLLIN },
		};
		plan_look(w, &next);
		int64_t due = resend_due(&w->fs->resend);
		int64_t settle = edit_due(&w->fs->edit);
		due = due < settle ? due : settle;
		int n = poll(fds, 2, wait_ms(due < next ? due : next));
		if (n < 0 && errno != EINTR)
			break;
		resend_now(w->fs, false);
		if (timestamp_monotonic() >= edit_due(&w->fs->edit))
			edit_settle(&w->fs->edit);
		if (n > 0 && fds[1].revents)
			handle_events(w);
		/* Whatever else happens. */
		if (timestamp_monotonic() >= next) {
			look_around(w, false);
			next = timestamp_monotonic() +
			       (int64_t)(w->poll * 1000);
		}
	}
	return NULL;
}

int watch_start(struct watch *w)
{
	int err = -pthread_create(&w->thread, NULL, watch_run, w);
	w->running = !err;
	return err;
}

void watch_free(struct watch *w)
{
	if (!w->fs)
		return;
	if (w->running) {
		pthread_mutex_lock(&w->lock);
		w->stopping = true;
		pthread_mutex_unlock(&w->lock);
		eventfd_write(w->wake, 1);
		pthread_join(w->thread, NULL);
		w->running = false;
	}
	if (w->events >= 0)
		close(w->events);
	close(w->wake);
	free(w->files);
	pthread_mutex_destroy(&w->lock);
	w->fs = NULL;
}
