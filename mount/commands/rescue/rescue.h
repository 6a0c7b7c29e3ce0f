/*
 * sessfs --rescue OUT FILE: write a damaged session anew, so that its agent
 * opens it with everything in it that can be read.
 */
#ifndef SESSFS_RESCUE_H
#define SESSFS_RESCUE_H

#include "mount/commands/options.h"

/*
 * Salvage the lines of the FILE (mount/commands/rescue/salvage.h), join its
 * broken links (mount/commands/rescue/joins.h), and write the OUT, which must
 * not exist. Prints a line for each change, and how to open the OUT. Returns
 * the exit status: 0 if it was written, 1 if nothing needed to be changed, and
 * nothing was written, 2 after reporting why it failed. The FILE is only read.
 */
int rescue_file(const struct options *o);

#endif
