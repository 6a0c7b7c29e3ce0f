/*
 * The greps that sessfs grep starts, and their colors.
 *
 * A grep reads a file in memory and prints into another, so neither waits for
 * the other.
 */
#ifndef SESSFS_GREP_CHILD_H
#define SESSFS_GREP_CHILD_H

#include "core/base/buf.h"
#include "mount/commands/grep/args.h"

/* Parameters of SGR (ECMA-48); empty: not colored. */
struct grep_colors {
	char path[32];
	char line[32];
	char separator[32];
};

/*
 * Start with the arguments: set the environment of the greps, find the colors
 * that GREP_COLORS has, and let a grep check the arguments on an empty file.
 * Returns -1 if it fails, which it reports itself. Called before there are
 * threads.
 */
int grep_child_begin(struct grep_colors *c, const struct grep_args *a);

/*
 * Search a text, and append what grep prints. Thread-safe. Returns 0 whether it
 * finds anything or not, 1 if it fails, which it reports, or -errno.
 */
int grep_child_run(const struct grep_args *a, const struct buf *text,
		   struct buf *found);

#endif
