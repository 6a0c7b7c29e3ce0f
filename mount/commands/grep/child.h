/*
 * The greps that sessfs --grep starts, and their colors.
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

struct grep_child {
	char **env;
	size_t n;
	size_t cap;
	struct grep_colors colors; /* as GREP_COLORS has them */
};

/*
 * Start with the arguments, and let a grep check them on an empty file. Returns
 * -1 if it fails, which it reports itself. The caller calls grep_child_end() in
 * either case.
 */
int grep_child_begin(struct grep_child *c, const struct grep_args *a);
void grep_child_end(struct grep_child *c);

/*
 * Search a text, and append what grep prints. Thread-safe. Returns 0 whether it
 * finds anything or not, 1 if it fails, which it reports, or -errno.
 */
int grep_child_run(const struct grep_child *c, const struct grep_args *a,
		   const struct buf *text, struct buf *found);

#endif
