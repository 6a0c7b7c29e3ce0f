/*
 * Invalidations that came too early.
 *
 * The kernel knows a file from when it has taken in the reply that names it. If
 * the file changes while that reply is on its way, telling the kernel is in
 * vain: it knows no such file yet, and will keep what the reply says. So what
 * it did not know is told again, by the thread that watches
 * (fs/kernel/watch.h): after a millisecond, and then after twice as long each
 * time, until it is known or some seconds have passed; and whenever somebody
 * sets out from the root. Mostly the kernel has forgotten it, or has never seen
 * it in that view.
 */
#ifndef SESSFS_RESEND_H
#define SESSFS_RESEND_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#define RESEND_MOST 256

struct fs;

struct resend {
	pthread_mutex_t lock;
	unsigned n; /* also read without it */
	struct early {
		uint64_t ino;
		int64_t due; /* CLOCK_MONOTONIC, in ms */
		int64_t wait;
	} list[RESEND_MOST];
};

int resend_init(struct resend *r);
void resend_free(struct resend *r);

/* The kernel does not know that file. If there are too many, the oldest goes.
 */
void resend_note(struct resend *r, uint64_t ino);

/* When the next one is due; INT64_MAX if there is none. */
int64_t resend_due(struct resend *r);

/* Tell the kernel of those that are due, or of all. Nothing is entered. */
void resend_now(struct fs *fs, bool all);

#endif
