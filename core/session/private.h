/*
 * The half of a session that only session.c, contents.c, derived.c,
 * refresh.c, writer.c and write_change.c read.
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
	bool incomplete;  /* a later one did */
	bool unsynced;	  /* a write failed that may have left bytes */
	bool keep_epoch;  /* the next reading is of our own rewriting */
	bool doubted;	  /* a line had other bytes than when it was read */
	bool just_opened; /* for one visit, which is yet to begin */

	/*
	 * Until this time (CLOCK_MONOTONIC in ms; 0: not at all) the bytes may
	 * change under the same mtime, which the kernel sets before it writes.
	 * Those are compared meanwhile.
	 */
	int64_t unsettled_until;
	enum reading_compare unsettled;
};

/*
 * contents.c: session.now, and how lines get into it. Needs the write lock.
 * After an error the contents hold a part of the lines: the caller clears them.
 */

void contents_init(struct contents *c);
void contents_free(struct contents *c);

/*
 * Ingest the lines after those that were read, up to the size of the log at its
 * last refresh, and link their entries. A last line without a newline is
 * ingested if it is a whole object. 0, SESSION_TURNED or -errno.
 *
 * `first` may be NULL, or a feed with the first bytes of the file, which need
 * not be read again; it is used up.
 */
int contents_grow(struct session *s, struct feed *first);

/* How much of the file is to be read at once, at its start: feed.step. */
size_t contents_step(const struct session *s);

/*
 * Read a file beside the session, and let the dialect ingest it in place of its
 * former bytes. 0 or -errno. BESIDE_NAMES is ignored if it can't be read.
 */
int contents_read_beside(struct session *s, enum beside_file i);

/* All of them and the log, for contents that are empty. `first` is as for
 * contents_grow(). 0, SESSION_TURNED or -errno. */
int contents_read(struct session *s, struct feed *first);

/*
 * refresh.c: keeping a session up to date (session.h, "Freshness"). Needs the
 * write lock where nothing else is said.
 */

/*
 * Read a session whose log has just been opened. 0 or -errno; *reason is as for
 * session_open().
 */
int refresh_first(struct session *s, const char **reason);

/*
 * Bring the session up to date. 0 or -errno. If the file could not be read as a
 * whole, the session is empty until a later call succeeds.
 */
int refresh(struct session *s);

/*
 * Would refresh() change nothing? Needs the read lock. `compares`: while the
 * file may be changing under one mtime, compare its bytes; else it is not fresh
 * then.
 */
bool refresh_is_fresh(const struct session *s, bool compares);

/* Give the session a new version, and a later time than it ever had. */
void refresh_stamp(struct session *s);

struct writer;
struct change;

/*
 * write_change.c: write a change, and refresh the session, which is left for
 * each of its steps. What was written is there, even if the session can't be
 * read just now: errors of entering it again don't count. -EAGAIN: another
 * process wrote meanwhile, and nothing was written.
 */
int write_change(struct writer *w, struct change *c);

#endif
