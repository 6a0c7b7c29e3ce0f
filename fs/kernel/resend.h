/*
 * Invalidations that arrived too early.
 *
 * The kernel has an inode only after it has processed the reply that names the
 * file. If the file changes while that reply is on its way, an invalidation
 * fails with -ENOENT, and the kernel then caches the attributes of the reply.
 * So the watching thread (fs/kernel/watch.h) sends the invalidation again:
 * after 1 ms, then after twice as long each time, until it succeeds or some
 * seconds have passed. It is also sent again before a lookup at a session's
 * root is answered. Some never succeed: the kernel has forgotten the inode.
 */
#ifndef SESSFS_RESEND_H
#define SESSFS_RESEND_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#define RESEND_MAX 256

struct fs;

/* An invalidation of a file's attributes that has to be sent again. */
struct resend_item {
	uint64_t ino;
	int64_t due;  /* CLOCK_MONOTONIC, in ms */
	int64_t wait; /* in ms */
};

struct resend {
	pthread_mutex_t lock;
	unsigned n; /* changed under the lock; atomic access */
	struct resend_item list[RESEND_MAX];
};

/* An invalidation failed with -ENOENT. The oldest one makes room for it. */
void resend_add(struct resend *r, uint64_t ino);

/* When the next one is due; INT64_MAX: there is none. */
int64_t resend_due(struct resend *r);

/* Send those that are due, or all. No session must be entered. */
void resend_now(struct fs *fs, bool all);

#endif
