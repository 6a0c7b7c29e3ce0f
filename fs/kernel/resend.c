#include "fs/kernel/resend.h"

#include <errno.h>

#include "core/json/timestamp.h"
#include "fs/kernel/fs.h"
#include "fs/kernel/notify.h"

/* The wait doubles each time, up to this many ms. */
#define WAIT_MAX 2048

/* Under the lock. */
static void remove_at(struct resend *r, unsigned i)
{
	__atomic_store_n(&r->n, r->n - 1, __ATOMIC_RELAXED);
	memmove(r->list + i, r->list + i + 1, (r->n - i) * sizeof(r->list[0]));
}

/* Replaces one for the same file. */
static void add(struct resend *r, struct resend_item e)
{
	pthread_mutex_lock(&r->lock);
	for (unsigned i = 0; i < r->n; i++) {
		if (r->list[i].ino == e.ino)
			remove_at(r, i);
	}
	if (r->n == RESEND_MAX)
		remove_at(r, 0);
	r->list[r->n] = e;
	__atomic_store_n(&r->n, r->n + 1, __ATOMIC_RELAXED);
	pthread_mutex_unlock(&r->lock);
}

void resend_add(struct resend *r, uint64_t ino)
{
	add(r, (struct resend_item){ ino, timestamp_monotonic() + 1, 1 });
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

/* Remove the first one that is due by then; false: there is none. */
static bool pop_due(struct resend *r, int64_t then, struct resend_item *out)
{
	bool found = false;
	pthread_mutex_lock(&r->lock);
	for (unsigned i = 0; i < r->n && !found; i++) {
		if (r->list[i].due > then)
			continue;
		*out = r->list[i];
		remove_at(r, i);
		found = true;
	}
	pthread_mutex_unlock(&r->lock);
	return found;
}

void resend_now(struct fs *fs, bool all)
{
	struct resend *r = &fs->resend;
	struct resend_item e;
	/* Only as many as there are now: some are added again. */
	for (unsigned left = __atomic_load_n(&r->n, __ATOMIC_RELAXED); left > 0;
	     left--) {
		int64_t now = timestamp_monotonic();
		if (!pop_due(r, all ? INT64_MAX : now, &e))
			break;
		if (notify_attributes(fs, e.ino) != -ENOENT)
			continue;
		/* If it was not due yet, it stays as it was. */
		if (e.due <= now) {
			e.wait *= 2;
			e.due = now + e.wait;
		}
		if (e.wait <= WAIT_MAX)
			add(r, e);
	}
}
