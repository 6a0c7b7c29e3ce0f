/*
 * A search of some PATHs, which have one set of options.
 *
 * A thread takes a batch of entries (mount/operands/pieces.h). What `skip` does
 * not pass over and the `filter` passes is rendered, its lines are selected by
 * `seek`, and printed by `print`. The output is in the order of the batches.
 */
#ifndef SESSFS_GREP_SEARCH_H
#define SESSFS_GREP_SEARCH_H

#include "mount/commands/commands.h"
#include "mount/commands/grep/options.h"
#include "mount/commands/grep/pattern.h"
#include "mount/commands/grep/skip.h"

/* Exit statuses of grep. */
enum grep_status {
	GREP_FOUND = 0,
	GREP_NOT_FOUND = 1,
	GREP_FAILED = 2,
};

/* Searches, one after the other. */
struct grep_search {
	/* The caller sets these, and zeroes the others. */
	struct grep_options *how;
	const struct patterns *patterns;
	const struct skip *skip; /* NULL: nothing is passed over */

	struct buf rows; /* with how->table: what is found */
	bool printed;	 /* something was */
	uint64_t rest;	 /* lines that are not printed: nobody said them */
	unsigned failed; /* a pattern has: the search is over; atomic */
	bool selected;	 /* there was a session to search */

	/* private, of one search */
	unsigned found;	  /* atomic */
	unsigned chosen;  /* how->entry or how->subtree is there; atomic */
	uint64_t session; /* the last one of the output, or counted */
	uint64_t count;	  /* of its selected lines */
};

/*
 * Search the n PATHs, or the agents' sessions. What fails is reported. A folder
 * without sessions fails.
 */
enum grep_status grep_search_run(struct grep_search *s,
				 const struct select_by *by, char *const *paths,
				 size_t n);

#endif
