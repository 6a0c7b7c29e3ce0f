#include "fs/kernel/resend.h"

#include <errno.h>

#include "core/json/timestamp.h"
#include "fs/kernel/fs.h"
#include "fs/kernel/notify.h"

/* Twice as long each time, up to this many ms. */
#define LONGEST 2048

int resend_init(struct resend *r)
{
	r->n = 0;
	return -pthread_mutex_init(&r->lock, NULL);
}

void resend_free(struct resend *r)
{
	pthread_mutex_destroy(&r->lock);
}

/* Under the lock. */
static void take_out(struct resend *r, unsigned i)
{
	__atomic_store_n(&r->n, r->n - 1, __ATOMIC_RELAXED);
	memmove(r->list + i, r->list + i + 1, (r->n - i) * sizeof(r->list[0]));
}

static void add(struct resend *r, struct early e)
{
	pthread_mutex_lock(&r->lock);
	for (unsigned i = 0; i < r->n; i++) {
		if (r->list[i].ino == e.ino)
			take_out(r, i);
	}
	if (r->n == RESEND_MOST)
		take_out(r, 0);
	r->list[r->n] = e;
	__atomic_store_n(&r->n, r->n + 1, __ATOMIC_RELAXED);
	pthread_mutex_unlock(&r->lock);
}

void resend_note(struct resend *r, uint64_t ino)
{
	add(r, (struct early){ ino, timestamp_monotonic() + 1, 1 });
}

int64_t resend_due(struct resend *r)
{
	int64_t due = INT64_MAX;
	pthread_mutex_lock(&r->lock);
	for (unsigned i = 0; i < r->n; i++) {
		if (r->list[i].due < due)
			due = r->list[i].due;
	}
	pthread_mutex_unlock(&r->lock);
	return due;
}

/* The first one that is due by then. */
static bool take_due(struct resend *r, int64_t then, struct early *out)
{
	bool found = false;
	pthread_mutex_lock(&r->lock);
	for (unsigned i = 0; i < r->n && !found; i++) {
		if (r->list[i].due > then)
			continue;
		*out = r->list[i];
		take_out(r, i);
		found = true;
	}
	pthread_mutex_unlock(&r->lock);
	return found;
}

/* The next time: false if there is none. */
static bool put_off(struct early *e, int64_t now)
{
	/* It was not its turn. */
	if (e->due > now)
		return true;
	e->wait *= 2;
	e->due = now + e->wait;
	return e->wait <= LONGEST;
}

void resend_now(struct fs *fs, bool all)
{
	struct resend *r = &fs->resend;
	struct early e;
	/* Those that come back are not taken again. */
	for (unsigned left = __atomic_load_n(&r->n, __ATOMIC_RELAXED); left > 0;
	     left--) {
		int64_t now = timestamp_monotonic();
		if (!take_due(r, all ? INT64_MAX : now, &e))
			break;
		if (notify_attributes(fs, e.ino) == -ENOENT && put_off(&e, now))
			add(r, e);
	}
}
