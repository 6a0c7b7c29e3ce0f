/*
 * A session as a history: its entries without bookkeeping, each after its
 * parent, with the branch that each is on.
 *
 * Of the children of an entry, the first goes on with the entry's branch, and
 * each other one begins a branch, as roots do. So each tip of the session ends
 * one branch. While the session grows in one epoch, no entry changes its place,
 * its branch or its date.
 *
 * Costs 28 bytes of memory an entry.
 */
#ifndef SESSFS_HISTORY_H
#define SESSFS_HISTORY_H

#include "core/session/session.h"

struct history_place {
	uint32_t number; /* on the way from its root, from 1; 0: bookkeeping */
	uint32_t branch; /* its first entry */
	uint32_t tip;	 /* of the branch that begins here: its last entry */
	/* In seconds since 1970, of the entry; never before its parent's. */
	int64_t date;
};

struct history {
	uint32_t *order; /* entries */
	uint32_t n;
	struct history_place *places; /* by entry */
};

/* 0 or -ENOMEM; end it then, too. */
int history_begin(struct history *h, const struct session *s);
void history_end(struct history *h);

/*
 * The nearest second that git keeps: none is before 1970, and git 2.47 takes
 * its own commit-graph file for damaged if two commits have one time of over 32
 * bits.
 */
int64_t history_seconds(int64_t ms);

#endif
