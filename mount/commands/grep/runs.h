/*
 * The runs of letters that a line must have to be selected by a grep.
 *
 * Each of grep's patterns (and of the branches of one) gives one run, which
 * every match of it contains: a line that has none of them is not selected. A
 * run has letters of ASCII and "_" only.
 */
#ifndef SESSFS_GREP_RUNS_H
#define SESSFS_GREP_RUNS_H

#include <stdbool.h>

#include "core/base/span.h"
#include "mount/commands/grep/args.h"

/* Shorter runs are in most lines, and longer ones are no rarer than this. */
#define RUN_LEAST ((size_t)3)
#define RUN_MOST ((size_t)32)

struct runs {
	struct span *list; /* parts of the arguments */
	size_t n;	   /* 0: any line may be selected */
	size_t cap;
	bool any_case; /* the case of letters does not count */
};

/*
 * Find the runs of the arguments. There are none if any pattern has none, if
 * lines without a match are wanted, and wherever it is not certain how grep
 * reads the patterns. Returns 0 or -ENOMEM.
 *
 * Under -i the letters i, k and s are in no run: in some locales they stand for
 * letters outside of ASCII, too.
 *
 * The first letter of a run is dropped if it is one of a to f: what a content
 * has as \u007f, with an f in it, may be one byte in the session.
 */
int runs_find(struct runs *r, const struct grep_args *a);
void runs_free(struct runs *r);

#endif
