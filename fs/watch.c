#include "fs/watch.h"

#include <errno.h>
#include <linux/magic.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "fs/fs.h"
#include "fs/notify.h"

/* Not in <linux/magic.h> of every kernel. */
#define MAGIC_FUSE 0x65735546
#define MAGIC_CIFS 0xFF534D42
#define MAGIC_SMB2 0xFE534D42
#define MAGIC_9P 0x01021997
#define MAGIC_CEPH 0x00C36400
#define MAGIC_LUSTRE 0x0BD00BD0
#define MAGIC_GPFS 0x47504653

int watch_init(struct watch *w, struct fs *fs, double poll)
{
	*w = (struct watch){ .fs = fs,
			     .poll = poll > 0 ? poll : WATCH_POLL,
			     .poll_all = poll > 0,
			     .polls = poll > 0 };
	w->events = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	w->stop = eventfd(0, EFD_CLOEXEC);
	int err = w->stop < 0 ? -errno : -pthread_mutex_init(&w->lock, NULL);
	if (err) {
		close(w->events);
		close(w->stop);
		w->fs = NULL;
	}
	return err;
}

/* Under the lock. */
static int remember(struct watch *w, int id, uint32_t home)
{
	if (w->n == w->cap) {
		size_t cap = w->cap ? w->cap * 2 : 8;
		struct watched_file *files =
			realloc(w->files, cap * sizeof(*files));
		if (!files)
			return -ENOMEM;
		w->files = files;
		w->cap = cap;
	}
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

static bool gives_events(int fd)
{
	static const uint32_t silent[] = {
		NFS_SUPER_MAGIC,  SMB_SUPER_MAGIC, AFS_SUPER_MAGIC,
		CODA_SUPER_MAGIC, MAGIC_FUSE,	   MAGIC_CIFS,
		MAGIC_SMB2,	  MAGIC_9P,	   MAGIC_CEPH,
		MAGIC_LUSTRE,	  MAGIC_GPFS,
	};
	struct statfs fs;
	if (fstatfs(fd, &fs) < 0)
		return false;
	for (size_t i = 0; i < sizeof(silent) / sizeof(silent[0]); i++) {
		if ((uint32_t)fs.f_type == silent[i])
			return false;
	}
	return true;
}

bool watch_follow(struct watch *w, struct place *at)
{
	const struct log *log = &at->session->log;
	struct watched *watched = &at->watched;
	if (log->fd < 0 || (watched->dev == log->seen.st_dev &&
			    watched->ino == log->seen.st_ino))
		return false;
	pthread_mutex_lock(&w->lock);
	if (watched->id >= 0)
		forget(w, watched->id, at->home);
	*watched = (struct watched){ -1, log->seen.st_dev, log->seen.st_ino };
	if (!w->poll_all && w->events >= 0 && gives_events(log->fd))
		watched->id = inotify_add_watch(
			w->events, log->path,
			IN_MODIFY | IN_ATTRIB | IN_MOVE_SELF | IN_DELETE_SELF |
				IN_DONT_FOLLOW);
	if (watched->id >= 0 && remember(w, watched->id, at->home) < 0) {
		forget(w, watched->id, at->home);
		watched->id = -1;
	}
	if (watched->id < 0)
		w->polls = true;
	pthread_mutex_unlock(&w->lock);
	return true;
}

/* Enter once: whoever enters tells the kernel what is new. */
static void look(struct watch *w, struct place *at)
{
	bool again = true;
	while (again && place_enter(at) == 0) {
		again = notify_news(w->fs, at);
		place_leave(at);
	}
}

/* The place of the i-th watch, pinned, if it is that of an event. */
static struct place *watched_place(struct watch *w, size_t i, int id)
{
	struct place *at = NULL;
	pthread_mutex_lock(&w->lock);
	if (i < w->n && w->files[i].id == id) {
		at = place_get(&w->fs->places, w->files[i].home);
		if (!at)
			forget(w, id, w->files[i].home);
	}
	pthread_mutex_unlock(&w->lock);
	return at;
}

static void handle_event(struct watch *w, int id)
{
	/* From the end: what is looked at may be forgotten, or watched anew. */
	pthread_mutex_lock(&w->lock);
	size_t i = w->n;
	pthread_mutex_unlock(&w->lock);
	while (i-- > 0) {
		struct place *at = watched_place(w, i, id);
		if (!at)
			continue;
		look(w, at);
		place_put(at);
	}
}

/* Everything that is known at once: many events of a file are one look. */
static void handle_events(struct watch *w)
{
	_Alignas(struct inotify_event) char bytes[4096];
	int last = -1;
	for (;;) {
		ssize_t n = read(w->events, bytes, sizeof(bytes));
		if (n <= 0)
			return;
		for (const char *p = bytes; p < bytes + n;) {
			const struct inotify_event *e =
				(const struct inotify_event *)p;
			if (e->wd != last)
				handle_event(w, e->wd);
			last = e->wd;
			p += sizeof(*e) + e->len;
		}
	}
}

static bool is_polled(struct place *at)
{
	pthread_mutex_lock(&at->lock);
	bool polled = at->watched.id < 0;
	pthread_mutex_unlock(&at->lock);
	return polled && place_is_stale(at);
}

static void poll_all(struct watch *w)
{
	uint32_t number = 0;
	struct place *at;
	while ((at = place_next_opened(&w->fs->places, number))) {
		number = at->number;
		if (is_polled(at))
			look(w, at);
		place_put(at);
	}
}

static int timeout_ms(struct watch *w)
{
	pthread_mutex_lock(&w->lock);
	bool polls = w->polls;
	pthread_mutex_unlock(&w->lock);
	return polls ? (int)(w->poll * 1000) : -1;
}

static void *watch_run(void *data)
{
	struct watch *w = data;
	for (;;) {
		struct pollfd fds[] = {
			{ .fd = w->stop, .events = POLLIN },
			{ .fd = w->events, .events = POLLIN },
		};
		int n = poll(fds, 2, timeout_ms(w));
		if (n < 0 && errno != EINTR)
			return NULL;
		if (n > 0 && fds[0].revents)
			return NULL;
		if (n > 0 && fds[1].revents)
			handle_events(w);
		if (n == 0)
			poll_all(w);
	}
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
		/* An eventfd of 0 takes 1 without waiting. */
		if (eventfd_write(w->stop, 1) == 0)
			pthread_join(w->thread, NULL);
		w->running = false;
	}
	if (w->events >= 0)
		close(w->events);
	close(w->stop);
	free(w->files);
	pthread_mutex_destroy(&w->lock);
	w->fs = NULL;
}
