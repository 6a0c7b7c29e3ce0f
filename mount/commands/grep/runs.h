/*
 * The runs of letters that a line must have to be selected by a search.
 *
 * Each pattern, and each branch of one, gives one run, which every match of it
 * contains: a line that has none of them is not selected. A run has letters of
 * ASCII and "_" only. Runs are in no group, class or option of a pattern, where
 * they might not be needed, or mean something else; patterns that begin with
 * "(*", quote, or set options are not read at all.
 */
#ifndef SESSFS_RUNS_H
#define SESSFS_RUNS_H

#include "mount/commands/grep/pattern.h"

/* Shorter runs are in most lines, and longer ones are no rarer than this. */
#define RUN_LEAST ((size_t)3)
#define RUN_MOST ((size_t)32)

/* Of more runs, one or another is begun everywhere. */
#define RUNS_MOST ((size_t)32)

struct runs {
	struct span *list; /* parts of the texts */
	size_t n;	   /* 0: any line may be selected */
	size_t cap;
	bool any_case; /* the case of letters does not count */
};

/*
 * Find the runs of patterns. There are none if any pattern has none, if there
 * are too many, and where it is not certain what a pattern means. 0 or -ENOMEM.
 *
 * If the case does not count, the letters k and s are in no run: U+212A and
 * U+017F are the same letters.
 *
 * The first letter of a run is dropped if it is one of a to f: what a content
 * has as \u007f, with an f in it, may be one byte in the session.
 */
int runs_find(struct runs *r, const struct pattern_texts *t);
void runs_free(struct runs *r);

#endif
