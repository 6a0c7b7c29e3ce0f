/*
 * One run of the command grep, and where it searches: the sessions that its
 * PATHs are, or those of the agents if it has none.
 */
#ifndef SESSFS_GREP_RUN_H
#define SESSFS_GREP_RUN_H

#include "mount/commands/grep/search.h"
#include "mount/commands/grep/unknown.h"

/* One run of the command. */
struct grep_run {
	const struct options *o;
	struct grep_options *how;
	const char *pattern; /* the operand; NULL: options have it */
	char **paths;
	size_t n;
	struct grep_args args;
	struct grep_colors colors;
	struct grep_search search;
	struct grep_unknown unknown;
	struct buf rows;
	bool is_terminal; /* what is printed goes to one, or its pager */
	bool found;
	bool failed;
};

/*
 * Search all of them, and set found and failed. What fails is reported; and if
 * nothing is found, the values of options that no session has.
 */
void grep_run_search(struct grep_run *r);

#endif
