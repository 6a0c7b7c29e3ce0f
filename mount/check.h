/*
 * sessfs --check FILE...: what is wrong with session files, without a mount.
 */
#ifndef SESSFS_CHECK_COMMAND_H
#define SESSFS_CHECK_COMMAND_H

#include "mount/options.h"

/*
 * Print it, as core/show/check.h has it. Gives the exit status: 0 if nothing is
 * wrong, 1 if something is, 2 if a file could not be read, which is said on
 * stderr; the others are checked all the same. Nothing is written.
 */
int check_files(const struct options *o);

#endif
