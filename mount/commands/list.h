/*
 * sessfs --list SOURCE...: a line for each session, as in sessions.txt, without
 * a mount.
 */
#ifndef SESSFS_LIST_COMMAND_H
#define SESSFS_LIST_COMMAND_H

#include "mount/commands/options.h"

/*
 * Print the sessions of o->names and of the folders among them, at any depth,
 * the newest first (core/show/summary.h). The path is that of the file, below
 * the SOURCE as it was given, so it can be opened. Sessions are read on all
 * processors, unless they are unchanged since a former call
 * (commands/list_cache.h). Returns the exit status, after reporting errors: the
 * other sessions are printed.
 */
int list_print(const struct options *o);

#endif
