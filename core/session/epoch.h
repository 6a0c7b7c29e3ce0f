/*
 * Epochs of a session, what was read of its file, and what a change of the file
 * asks for.
 *
 * An epoch goes on as long as every entry keeps its number, and what the kernel
 * may keep of it stays as it is. Only epoch_begin() starts one, and only
 * epoch_continue() goes on with one.
 *
 * A reading is what was read, as a value by which a later reading is compared
 * with it: kept of a session that is closed, and of the last reading that did
 * not fail.
 */
#ifndef SESSFS_EPOCH_H
#define SESSFS_EPOCH_H

#include <time.h>

#include "core/file/log.h"

struct contents;
struct dialect;
struct session;

struct session_reading {
	const struct dialect *dialect; /* NULL: nothing was read */
	uint32_t entries;
	uint64_t bytes;
	uint64_t before; /* of these, bytes of the log's lineage */
	uint64_t digest; /* core/session/fingerprint.h */
	mode_t mode;
	uid_t uid;
	gid_t gid;
	/* The epoch that it is in. */
	uint32_t epoch;
	uint32_t epoch_entries; /* how many there were when it began */
	struct timespec since;	/* the session's stamp then */
};

/* The reading that the session has now. */
void reading_take(const struct session *s, struct session_reading *r);

/* The kernel may keep mode and owner of the files for an epoch. */
bool reading_same_owner(const struct session_reading *a,
			const struct session_reading *b);

/* The numbers that entries had before are not valid any more. */
void epoch_begin(struct session *s);

/* Go on with the epoch of a reading. */
void epoch_continue(struct session *s, const struct session_reading *r);

/*
 * Are the lines of the entries that there were the same in what was read now,
 * and all else that their files are made of? `turned`: the agent opens the file
 * now, or does not any more. Reads lines that have moved.
 */
bool epoch_same_lines(const struct session *s, const struct contents *old,
		      bool turned);

/* Which of the bytes that were read are compared with those in the file? */
enum reading_compare {
	COMPARE_NOTHING,
	COMPARE_ENDS,
	COMPARE_ALL,
};

/*
 * What there is to do for a file. Where the comparison fails, the file is read
 * from its start, whatever `then` is.
 */
struct reading_plan {
	enum reading_compare compare;
	enum {
		THEN_KEEP, /* what was read */
		THEN_GROW, /* ingest the bytes behind it */
		THEN_READ, /* from the start */
	} then;
};

/* What is known of a file. */
struct reading_news {
	enum version_change change;
	bool doubted;  /* a line had other bytes than those that were read */
	bool reopened; /* another file may have got the inode number */
	/* What may be other bytes under the same times, as it just changed. */
	enum reading_compare unsettled;
};

struct reading_plan reading_plan(const struct reading_news *news);

#endif
