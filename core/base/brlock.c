#include "core/base/brlock.h"

#include <stdint.h>

#include "core/base/hash.h"

static int init_parts(struct brlock *l, const pthread_rwlockattr_t *attr)
{
	for (int i = 0; i < BRLOCK_PARTS; i++) {
		int err = pthread_rwlock_init(&l->parts[i].lock, attr);
		if (!err)
			continue;
		while (i-- > 0)
			pthread_rwlock_destroy(&l->parts[i].lock);
		return -err;
	}
	return 0;
}

int brlock_init(struct brlock *l)
{
	pthread_rwlockattr_t attr;
	int err = -pthread_rwlockattr_init(&attr);
	if (err)
		return err;
	/* New readers come all the time, and would starve a writer. */
	pthread_rwlockattr_setkind_np(
		&attr, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
	err = init_parts(l, &attr);
	pthread_rwlockattr_destroy(&attr);
	return err;
}

void brlock_free(struct brlock *l)
{
	for (int i = 0; i < BRLOCK_PARTS; i++)
		pthread_rwlock_destroy(&l->parts[i].lock);
}

static pthread_rwlock_t *mine(struct brlock *l)
{
	/* POSIX does not promise it, but a thread's id never changes. */
	uint64_t self = (uint64_t)(uintptr_t)pthread_self();
	uint64_t mixed = hash_number(self);
	return &l->parts[mixed % BRLOCK_PARTS].lock;
}

void brlock_rdlock(struct brlock *l)
{
	pthread_rwlock_rdlock(mine(l));
}

void brlock_rdunlock(struct brlock *l)
{
	pthread_rwlock_unlock(mine(l));
}

void brlock_wrlock(struct brlock *l)
{
	for (int i = 0; i < BRLOCK_PARTS; i++)
		pthread_rwlock_wrlock(&l->parts[i].lock);
}

void brlock_wrunlock(struct brlock *l)
{
	for (int i = BRLOCK_PARTS; i-- > 0;)
		pthread_rwlock_unlock(&l->parts[i].lock);
}
