/*
 * How far something is: one line on stderr with a bar, if that is a terminal.
 * It is drawn over itself, not before the patience is over, and wiped at the
 * end, so that nothing of it is left.
 *
 * Used by one thread. The name is borrowed.
 */
#ifndef SESSFS_PROGRESS_H
#define SESSFS_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/* What people do not mind to wait for, in ms. */
#define PROGRESS_PATIENCE 1000

struct progress {
	const char *doing; /* as in "sessfs: reading NAME" */
	const char *name;
	int64_t next; /* when it is to be drawn; timestamp_monotonic() */
	bool drawn;
};

/*
 * Start something of that name (of a path the last part is shown), perhaps
 * after something else with the same struct, which is zero before the first.
 */
void progress_start(struct progress *p, const char *doing, const char *name,
		    int64_t patience);

/* It is at `done` of `total`; `progress` is a struct progress. */
void progress_at(void *progress, uint64_t done, uint64_t total);

/* Wipe it, before anything else is written to the terminal. */
void progress_end(struct progress *p);

#endif
