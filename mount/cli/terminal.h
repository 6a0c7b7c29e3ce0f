/*
 * The user's terminal: its size and colors, the pager, a progress bar, and the
 * differences of two texts.
 */
#ifndef SESSFS_TERMINAL_H
#define SESSFS_TERMINAL_H

#include <stdint.h>
#include <sys/types.h>

#include "core/base/span.h"

/* Of the one that a file (STDOUT_FILENO, ...) leads to; 0: not known. */
size_t terminal_columns(int fd);
size_t terminal_rows(int fd);

/* Is it one that shows colors, and does the user want them? */
bool terminal_has_colors(int fd);

/* The program that standard output goes through. Zeroed: none. */
struct pager {
	pid_t pid; /* of its shell; 0: there is none */
	int out;   /* the descriptor that standard output was; private */
};

/*
 * On a terminal, have what is written to standard output shown by $PAGER, or by
 * less -R, as git does. less has git's options if $LESS is not set, and ends on
 * an interrupt, as the program does. 0 or -errno.
 */
int pager_begin(struct pager *p);

/*
 * Wait for the user to quit it. Returns `err`, that of what was written, or
 * another one; 0 if nobody reads on, as who quits a pager has seen enough.
 */
int pager_end(struct pager *p, int err);

/* -- progress */

/*
 * A progress bar: one line on stderr, if that is a terminal. It is first drawn
 * after a delay, redrawn in place, and wiped at the end.
 *
 * Used by one thread. The name is borrowed.
 */
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

/* -- differences */

/* The color of a line that begins so, or NULL. */
const char *text_diff_color(char sign);

/* A text, and what it is called. */
struct diff_side {
	const char *name;
	struct span text;
};

/*
 * Print to standard output how b differs from a, as diff -u does, by diff(1).
 * Returns its exit status, 128 and the signal that ended it, or -errno.
 * `shows`: the lines are for a terminal: without control characters, and with
 * `colors`. It may be behind a pager, which is the caller's.
 */
int text_diff_print(struct diff_side a, struct diff_side b, bool shows,
		    bool colors);

#endif
