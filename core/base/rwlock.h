/*
 * A read-write lock whose waiting writer goes before new readers, which come
 * all the time and would starve it. So a thread that has the read lock must not
 * lock it again.
 */
#ifndef SESSFS_RWLOCK_H
#define SESSFS_RWLOCK_H

#include <pthread.h>

/* 0 or -errno. */
static inline int rwlock_init(pthread_rwlock_t *lock)
{
	pthread_rwlockattr_t attr;
	int err = -pthread_rwlockattr_init(&attr);
	if (err)
		return err;
	pthread_rwlockattr_setkind_np(
		&attr, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
	err = -pthread_rwlock_init(lock, &attr);
	pthread_rwlockattr_destroy(&attr);
	return err;
}

#endif
