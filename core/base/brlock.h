/*
 * A big-reader lock: many threads read at once without touching anything that
 * another one writes; a writer waits for them all.
 *
 * It is an array of locks. A reader takes the one that its thread falls on, a
 * writer takes all. A thread must not read twice at once, and a writer that
 * waits is let in before further readers.
 */
#ifndef SESSFS_BRLOCK_H
#define SESSFS_BRLOCK_H

#include <pthread.h>

#define BRLOCK_PARTS 32

struct brlock {
	struct brlock_part {
		pthread_rwlock_t lock;
		char apart[64]; /* no two in a line of the processor's cache */
	} parts[BRLOCK_PARTS];
};

/* 0 or -errno. */
int brlock_init(struct brlock *l);
void brlock_free(struct brlock *l);

void brlock_read(struct brlock *l);
void brlock_unread(struct brlock *l); /* by the thread that read */

void brlock_write(struct brlock *l);
void brlock_unwrite(struct brlock *l);

#endif
