/*
 * The half of a session that only session.c, contents.c, refresh.c and writer.c
 * read.
 *
 * Protected by the session's lock like the rest of it, but for `lock` itself,
 * and `unsynced` and `doubted`, which are atomic.
 */
#ifndef SESSFS_PRIVATE_H
#define SESSFS_PRIVATE_H

#include "core/base/brlock.h"
#include "core/session/derived.h"
#include "core/session/fingerprint.h"
#include "core/session/session.h"

struct session_private {
	struct brlock lock;
	const struct dialect_registry *dialects;
	struct name_cache *names;	       /* of its opening */
	const struct session_opening *opening; /* during session_open() */
	struct fingerprint read;	       /* the bytes of session.now */
	uint32_t reading; /* how often the file was read from the start */

	pthread_mutex_t derived_lock; /* protects the list */
	struct derived *derived;      /* caches (derived.h) */

	const struct dialect *claimed; /* by a line; NULL: by none */
	const char *unclaimed; /* why no dialect claims its lines, or NULL */

	bool asked_read_only;
	bool forced;	 /* -o dialect: no line changes the dialect */
	bool no_folder;	 /* the dialect writes files beside it, but cannot */
	bool undecided;	 /* later lines may decide on another dialect */
	bool incomplete; /* the last reading failed */
	struct session_memory complete; /* of the last one that did not */
	bool unsynced;	 /* a write failed that may have left bytes */
	bool keep_epoch; /* the next reading is of our own rewriting */
	bool doubted;	 /* a line had other bytes than when it was read */

	/*
	 * Until this time (CLOCK_MONOTONIC in ms; 0: not at all) the bytes may
	 * change under the same mtime, which the kernel sets before it writes.
	 */
	int64_t unsettled_until;
	bool only_grew; /* since then: comparing the ends is enough */
};

#endif
