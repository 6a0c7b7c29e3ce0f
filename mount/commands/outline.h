/*
 * sessfs --outline SESSION: its tree.txt, without a mount.
 */
#ifndef SESSFS_OUTLINE_COMMAND_H
#define SESSFS_OUTLINE_COMMAND_H

#include "mount/commands/options.h"

/* Returns the exit status, after reporting errors. */
int outline_print(const struct options *o);

#endif
