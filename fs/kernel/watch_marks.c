#include "fs/kernel/watch_marks.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "core/base/array.h"
#include "core/file/gate.h"
#include "fs/kernel/attached.h"

int marks_init(struct marks *m, bool poll_all)
{
	*m = (struct marks){ .poll_all = poll_all, .polls = poll_all };
	int err = -pthread_mutex_init(&m->lock, NULL);
	if (err)
		return err;
	/* Without inotify all files are polled. */
	m->events = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	return 0;
}

void marks_free(struct marks *m)
{
	if (m->events >= 0)
		close(m->events);
	free(m->list);
	pthread_mutex_destroy(&m->lock);
}

/* Under the lock. 0 or -ENOMEM. */
static int add(struct marks *m, int watch, uint32_t home)
{
	if (array_reserve(&m->list, &m->cap, m->n, 1) < 0)
		return -ENOMEM;
	m->list[m->n++] = (struct marked){ watch, home };
	return 0;
}

/* Under the lock. The last place that a watch is for takes it along. */
static void remove_watch(struct marks *m, int watch, uint32_t home)
{
	bool others = false;
	for (size_t i = m->n; i-- > 0;) {
		if (m->list[i].watch != watch)
			continue;
		if (m->list[i].home == home)
			m->list[i] = m->list[--m->n];
		else
			others = true;
	}
	if (!others)
		inotify_rm_watch(m->events, watch);
}

/* Under the lock: a watch on the file, or -1. */
static int add_watch(struct marks *m, const struct log *log, uint32_t home)
{
	char room[GATE_PATH_SIZE];
	if (m->poll_all || m->events < 0 || log->file->remote)
		return -1;
	int watch = inotify_add_watch(m->events,
				      gate_path(log->gate, log->path, room),
				      IN_MODIFY | IN_ATTRIB | IN_MOVE_SELF |
					      IN_DELETE_SELF | IN_DONT_FOLLOW);
	if (watch >= 0 && add(m, watch, home) < 0) {
		remove_watch(m, watch, home);
		return -1;
	}
	return watch;
}

bool marks_follow(struct marks *m, struct place *at)
{
	const struct log *log = &at->session->log;
	struct mark *mark = &attached_to(at)->mark;
	if (!log->exists || (mark->is_set && mark->dev == log->st.st_dev &&
			     mark->ino == log->st.st_ino))
		return false;
	marks_forget(m, at);
	pthread_mutex_lock(&m->lock);
	int watch = add_watch(m, log, at->home);
	bool first = watch < 0 && !m->polls;
	if (first)
		m->polls = true;
	pthread_mutex_unlock(&m->lock);
	mark->dev = log->st.st_dev;
	mark->ino = log->st.st_ino;
	__atomic_store_n(&mark->watch, watch, __ATOMIC_RELAXED);
	__atomic_store_n(&mark->is_set, true, __ATOMIC_RELAXED);
	return first;
}

void marks_forget(struct marks *m, struct place *at)
{
	struct mark *mark = &attached_to(at)->mark;
	if (mark->is_set && mark->watch >= 0) {
		pthread_mutex_lock(&m->lock);
		remove_watch(m, mark->watch, at->home);
		pthread_mutex_unlock(&m->lock);
	}
	__atomic_store_n(&mark->is_set, false, __ATOMIC_RELAXED);
	__atomic_store_n(&mark->watch, 0, __ATOMIC_RELAXED);
}

bool marks_is_set(const struct place *at)
{
	return __atomic_load_n(&attached_to(at)->mark.is_set, __ATOMIC_RELAXED);
}

bool marks_is_watched(const struct place *at)
{
	return __atomic_load_n(&attached_to(at)->mark.watch, __ATOMIC_RELAXED) >
	       0;
}

bool marks_is_polled(struct place *at)
{
	const struct mark *mark = &attached_to(at)->mark;
	pthread_mutex_lock(&at->lock);
	bool polled = !mark->is_set || mark->watch < 0;
	pthread_mutex_unlock(&at->lock);
	return polled;
}

bool marks_polls(struct marks *m)
{
	pthread_mutex_lock(&m->lock);
	bool polls = m->polls;
	pthread_mutex_unlock(&m->lock);
	return polls;
}

struct place *marks_next(struct marks *m, struct places *places, size_t *at,
			 int watch)
{
	struct place *found = NULL;
	pthread_mutex_lock(&m->lock);
	if (*at > m->n)
		*at = m->n;
	while (*at > 0 && !found) {
		const struct marked *mark = &m->list[--*at];
		if (mark->watch == watch)
			found = places_peek(places, mark->home);
	}
	pthread_mutex_unlock(&m->lock);
	return found;
}

void marks_drop(struct marks *m, struct place *at, int watch)
{
	const struct mark *mark = &attached_to(at)->mark;
	pthread_mutex_lock(&at->lock);
	if (mark->is_set && mark->watch == watch)
		marks_forget(m, at);
	pthread_mutex_unlock(&at->lock);
}
