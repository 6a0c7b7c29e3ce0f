/*
 * sessfs --check FILE...: report what is wrong with session files, without a
 * mount.
 */
#ifndef SESSFS_CHECK_COMMAND_H
#define SESSFS_CHECK_COMMAND_H

#include "mount/commands/options.h"

/*
 * Print the faults of each file of o->names (core/show/check.h), and how far
 * the agent comes from its tips (core/show/reach.h). Of several files those
 * without faults are left out. Returns the exit status: 0 if there are no
 * faults, 1 if there are some, 2 if a file can't be read. That is reported on
 * stderr, and the other files are checked. Writes no file.
 */
int check_files(const struct options *o);

#endif
