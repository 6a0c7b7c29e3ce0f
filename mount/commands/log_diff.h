/*
 * What the calls of an entry have done with a file, as `sessfs log --file`
 * shows it: a line for each touch, and what the call has put in place of what.
 */
#ifndef SESSFS_LOG_DIFF_H
#define SESSFS_LOG_DIFF_H

#include "mount/commands/log_show.h"

/*
 * Append that, for the files that l->file names. `json` is the entry's line. 0
 * or -errno.
 */
int log_diff_add(const struct log_show *l, uint32_t entry, struct json json,
		 struct buf *out);

#endif
