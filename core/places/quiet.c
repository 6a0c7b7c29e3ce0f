#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "core/file/fault.h"
#include "core/file/nofollow.h"
#include "core/file/remote.h"
#include "core/json/timestamp.h"
#include "core/places/private.h"

/* All that changes what is found in a folder. */
#define CHANGES                                                            \
	(IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_MODIFY | \
	 IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR)
/* After these a watch is not what it was. */
#define LOSSES (IN_IGNORED | IN_Q_OVERFLOW | IN_DELETE_SELF | IN_MOVE_SELF)

/* How long nothing may have changed without a look, in ms. */
#define QUIET_LIMIT 1000

static bool is_on(const struct quiet *q)
{
	return q->epoch > 0;
}

void places_watch(struct places *p)
{
	struct quiet *q = &p->state->quiet;
	q->inotify = -1;
	q->epoch = 1;
}

void quiet_free(struct quiet *q)
{
	if (is_on(q) && q->inotify >= 0)
		close(q->inotify);
	pthread_mutex_destroy(&q->lock);
}

/* Under the lock: read all events. Sets *losses to those among them. */
static bool drain(struct quiet *q, uint32_t *losses)
{
	_Alignas(struct inotify_event) char bytes[16384];
	bool any = false;
	ssize_t n;
	while (q->inotify >= 0 &&
	       (n = read(q->inotify, bytes, sizeof(bytes))) > 0) {
		any = true;
		for (const char *p = bytes; p < bytes + n;) {
			const struct inotify_event *e =
				(const struct inotify_event *)p;
			*losses |= e->mask & LOSSES;
			p += sizeof(*e) + e->len;
		}
	}
	return any;
}

uint64_t places_epoch(struct places *p)
{
	struct quiet *q = &p->state->quiet;
	int64_t now = timestamp_monotonic();
	uint32_t losses = 0;
	if (!is_on(q))
		return 0;
	pthread_mutex_lock(&q->lock);
	bool changed = drain(q, &losses) || q->is_missed ||
		       now - q->since > QUIET_LIMIT;
	if (losses) {
		/* All folders are watched again when they are looked at. */
		close(q->inotify);
		q->inotify = -1;
	}
	if (changed) {
		q->epoch++;
		q->since = now;
		q->is_missed = false;
	}
	uint64_t epoch = q->epoch;
	pthread_mutex_unlock(&q->lock);
	return epoch;
}

void places_miss(struct places *p)
{
	struct quiet *q = &p->state->quiet;
	pthread_mutex_lock(&q->lock);
	q->is_missed = true;
	pthread_mutex_unlock(&q->lock);
}

void places_miss_after(struct places *p, int err)
{
	if (fault_tells_nothing(err))
		places_miss(p);
}

/* 0 or -errno if it can't be watched. */
static int watch(struct places *p, int folder)
{
	struct quiet *q = &p->state->quiet;
	char link[48];
	int err = 0;
	if (remote_is(folder))
		return -EOPNOTSUPP;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", folder);
	pthread_mutex_lock(&q->lock);
	if (q->inotify < 0)
		q->inotify = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (inotify_add_watch(q->inotify, link, CHANGES) < 0)
		err = -errno;
	pthread_mutex_unlock(&q->lock);
	return err;
}

/* The same of a path; -ENOENT if there is no such folder. */
static int add_watch(struct places *p, const char *path)
{
	int fd = nofollow_open(p->opening.gate, path, O_PATH | O_DIRECTORY);
	if (fd == -ENOTDIR || fd == -ELOOP)
		return -ENOENT;
	if (fd < 0)
		return fd;
	int err = watch(p, fd);
	close(fd);
	return err;
}

/* Watch the folder that a source is in, or where that may be made. */
static int watch_above(struct places *p, const char *path)
{
	char *above = strdup(path);
	int err = above ? -ENOENT : -ENOMEM;
	while (err == -ENOENT && above[0] && above[1]) {
		char *slash = strrchr(above, '/');
		slash[slash == above] = '\0';
		err = add_watch(p, above);
	}
	free(above);
	return err;
}

/* A folder that is gone needs no watch. */
static void note_watch(struct places *p, int err)
{
	if (err && err != -ENOENT)
		places_miss(p);
}

void places_watch_folder(struct places *p, int folder)
{
	if (is_on(&p->state->quiet))
		note_watch(p, watch(p, folder));
}

void places_watch_sources(struct places *p)
{
	int err = 0;
	if (!is_on(&p->state->quiet) || !p->source->set)
		return;
	for (size_t i = 0; p->paths[i] && !err; i++)
		err = watch_above(p, p->paths[i]);
	note_watch(p, err);
}
