/*
 * The half of a session that only session.c, contents.c, refresh.c and writer.c
 * read.
 *
 * Protected by the session's lock like the rest of it, but for `lock` itself,
 * and `unsynced` and `doubted`, which are atomic.
 */
#ifndef SESSFS_PRIVATE_H
#define SESSFS_PRIVATE_H

#include "core/base/rwlock.h"
#include "core/session/derived.h"
#include "core/session/detect.h"
#include "core/session/session.h"

struct session_private {
	pthread_rwlock_t lock;
	/* As it was opened. What is only for that is unset then. */
	struct session_opening how;
	struct verdict verdict; /* on the file's dialect, unless it is forced */

	uint32_t generation;	      /* changes when no cache holds any more */
	pthread_mutex_t derived_lock; /* protects the list */
	struct derived *derived;      /* caches (derived.h) */

	/* The last reading that did not fail. */
	struct session_reading complete;
	bool incomplete; /* a later one did */
	bool unsynced;	 /* a write failed that may have left bytes */
	bool keep_epoch; /* the next reading is of our own rewriting */
	bool doubted;	 /* a line had other bytes than when it was read */

	/*
	 * Until this time (CLOCK_MONOTONIC in ms; 0: not at all) the bytes may
	 * change under the same mtime, which the kernel sets before it writes.
	 * Those are compared meanwhile.
	 */
	int64_t unsettled_until;
	enum reading_compare unsettled;
};

#endif
