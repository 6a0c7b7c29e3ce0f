/*
 * sessfs --grep SOURCE... -- GREP-ARGUMENTS: search the contents of all entries
 * with grep, without a mount. scripts/bin/sessfs-grep is made of it.
 *
 * What is found is exactly what grep finds in each content by itself. A thread
 * (core/base/sweep.h) takes a batch of entries (commands/pieces.h), and
 *
 *     text    makes one text of the contents that pass the filter,
 *     child   has a grep search it,
 *     hit     parses what that prints,
 *     cut     maps lines back to contents, where contexts and counts end,
 *     print   prints them.
 *
 * The output is in the order of the batches.
 */
#ifndef SESSFS_GREP_COMMAND_H
#define SESSFS_GREP_COMMAND_H

#include "mount/commands/options.h"

/* Search o->names. Returns grep's exit status: 0 found, 1 not, 2 failed. */
int grep_search(const struct options *o);

#endif
