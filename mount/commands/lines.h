/*
 * sessfs --lines SOURCE...: every line of every entry's content, without a
 * mount, behind its path (core/show/lines.h).
 */
#ifndef SESSFS_LINES_COMMAND_H
#define SESSFS_LINES_COMMAND_H

#include "mount/commands/options.h"

/*
 * Print the lines of all sessions of o->names (commands/pieces.h). Returns the
 * exit status, after reporting what can't be read. Quiet if the reader of a
 * pipe has ended.
 */
int lines_print(const struct options *o);

#endif
