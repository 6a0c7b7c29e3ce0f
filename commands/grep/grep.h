/*
 * sessfs --grep SOURCE... -- GREP-ARGUMENTS: search the contents of all entries
 * with grep, without a mount. scripts/bin/sessfs-grep is made of it.
 *
 * What is found is exactly what grep finds in each content by itself. Contents
 * are searched in batches: each batch is rendered into one file, which a grep
 * of its own reads. Its line numbers are mapped back to contents and their
 * lines. Contexts (-A, -B, -C) and counts (-m) are cut where a content ends.
 *
 * All processors search (commands/sweep.h), and the output is in the order of
 * commands/pieces.h.
 */
#ifndef SESSFS_GREP_COMMAND_H
#define SESSFS_GREP_COMMAND_H

#include "commands/options.h"

/* Search o->names. Returns grep's exit status: 0 found, 1 not, 2 failed. */
int grep_search(const struct options *o);

#endif
