/*
 * A big-reader lock: readers run in parallel without writing to a shared cache
 * line. A writer waits for all readers.
 *
 * It is an array of read-write locks. A reader locks the one that the id of its
 * thread hashes to; a writer locks all. A waiting writer goes before new
 * readers, so a thread that has the read lock must not lock it again.
 */
#ifndef SESSFS_BRLOCK_H
#define SESSFS_BRLOCK_H

#include <pthread.h>

#define BRLOCK_PARTS 32

struct brlock {
	struct brlock_part {
		pthread_rwlock_t lock;
		char padding[64]; /* no two locks in one cache line */
	} parts[BRLOCK_PARTS];
};

/* 0 or -errno. */
int brlock_init(struct brlock *l);
void brlock_free(struct brlock *l);

void brlock_rdlock(struct brlock *l);
void brlock_rdunlock(struct brlock *l); /* by the thread that locked it */

void brlock_wrlock(struct brlock *l);
void brlock_wrunlock(struct brlock *l);

#endif
