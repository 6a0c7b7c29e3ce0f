/*
 * Values of --role and --tool that nothing has: probably they are misspelled.
 *
 * Tools may have any name. So for a value that no agent is known to use, the
 * sessions are read once more, up to an entry that has it. That is done after a
 * search that has found nothing.
 */
#ifndef SESSFS_GREP_UNKNOWN_H
#define SESSFS_GREP_UNKNOWN_H

#include "mount/commands/commands.h"
#include "mount/commands/grep/options.h"

struct grep_unknown {
	const struct grep_options *how;
	bool *is_known; /* of roles, and then of tools; atomic */
};

/* Begin with what agents are known to use: 0 or -ENOMEM. */
int grep_unknown_begin(struct grep_unknown *u, const struct grep_options *how);

/* Look for the others in what was searched (grep_search_run()). */
void grep_unknown_look(struct grep_unknown *u, const struct options *o,
		       const struct select_by *by, char *const *paths,
		       size_t n);

/* Report the first that was not found, if any. */
bool grep_unknown_report(const struct grep_unknown *u);

void grep_unknown_free(struct grep_unknown *u);

#endif
