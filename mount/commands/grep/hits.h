/*
 * Choosing one of the hits of a search, for --open and --resume: the newest, or
 * with fzf the one that the user chooses.
 */
#ifndef SESSFS_GREP_HITS_H
#define SESSFS_GREP_HITS_H

#include "core/base/buf.h"
#include "mount/commands/grep/rows.h"

/* The newest entry first. Borrows the text of the rows. */
struct grep_hits {
	struct grep_row *list;
	size_t n;
};

/*
 * Sort the rows. A session that was forked repeats entries of another: a hit in
 * it is left out if a session that is no fork has the same in an entry with
 * this id and time. 0 or -ENOMEM. The caller calls grep_hits_free() in any
 * case.
 */
int grep_hits_sort(struct grep_hits *h, struct span rows);
void grep_hits_free(struct grep_hits *h);

/*
 * Choose one of at least one. 0, or an exit status: of a failure, reported, or
 * 130 if the user gave up.
 */
int grep_hits_choose(const struct grep_hits *h, const struct grep_row **hit);

#endif
