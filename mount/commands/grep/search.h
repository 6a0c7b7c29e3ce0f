/*
 * A search of some PATHs, which have one set of options.
 *
 * A thread takes a batch of entries (mount/operands/pieces.h), and
 *
 *     text    makes one text of the contents that pass the filter,
 *     child   has a grep search it,
 *     cut     parses what that prints, and maps lines back to contents, where
 *             contexts and counts end,
 *     print   prints them.
 *
 * The output is in the order of the batches.
 */
#ifndef SESSFS_GREP_SEARCH_H
#define SESSFS_GREP_SEARCH_H

#include "mount/commands/commands.h"
#include "mount/commands/grep/args.h"
#include "mount/commands/grep/child.h"
#include "mount/commands/grep/options.h"
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
	const struct grep_args *args;
	const struct grep_colors *colors;
	struct buf *rows; /* with how->table: gets what is found */

	bool printed;  /* something was */
	uint64_t rest; /* lines that are not printed: nobody said them */

	/* private, of one search */
	struct skip *skip; /* NULL: nothing is passed over */
	unsigned found;	   /* atomic */
	unsigned failed;   /* a grep has; atomic */
	unsigned chosen;   /* how->entry or how->subtree is there; atomic */
	uint64_t session;  /* whose hits were printed last, with headings */
};

/*
 * Search the n PATHs, or the agents' sessions. What fails is reported. A folder
 * without sessions fails.
 */
enum grep_status grep_search_run(struct grep_search *s, const struct options *o,
				 const struct select_by *by, char *const *paths,
				 size_t n);

#endif
