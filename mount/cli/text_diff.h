/*
 * Two texts compared, as diff -u does, by diff(1).
 *
 * `shows`: the lines are for a terminal: without control characters, and with
 * `colors`. It may be behind a pager, which is the caller's.
 */
#ifndef SESSFS_TEXT_DIFF_H
#define SESSFS_TEXT_DIFF_H

#include <stdbool.h>

#include "core/base/span.h"

/* A text, and what it is called. */
struct diff_side {
	const char *name;
	struct span text;
};

/*
 * Print to standard output how b differs from a. Returns diff's exit status,
 * 128 and the signal that ended it, or -errno.
 */
int text_diff_print(struct diff_side a, struct diff_side b, bool shows,
		    bool colors);

#endif
