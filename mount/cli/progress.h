/*
 * A progress bar: one line on stderr, if that is a terminal. It is first drawn
 * after a delay, redrawn in place, and wiped at the end.
 *
 * Used by one thread. The name is borrowed.
 */
#ifndef SESSFS_PROGRESS_H
#define SESSFS_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/* The delay, in ms: shorter work shows nothing. */
#define PROGRESS_DELAY 1000

struct progress {
	const char *doing; /* as in "sessfs: reading NAME" */
	const char *name;
	int64_t next; /* time of the next drawing; timestamp_monotonic() */
	bool drawn;
};

/*
 * Start with work on `name`; the last component of a path is shown. The struct
 * is zeroed before its first use, and can be started again.
 */
void progress_start(struct progress *p, const char *doing, const char *name,
		    int64_t delay);

/* Report `done` of `total` bytes; `progress` is a struct progress. */
void progress_at(void *progress, uint64_t done, uint64_t total);

/* Wipe the line. Needed before other output to the terminal. */
void progress_end(struct progress *p);

#endif
