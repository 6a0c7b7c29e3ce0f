/* Going on from a hit: its entry in a mount, and the agent from there. */
#ifndef SESSFS_GREP_GO_ON_H
#define SESSFS_GREP_GO_ON_H

#include "mount/commands/grep/hits.h"

/*
 * Print the path of the hit's entry in a mount, which is made unless the user
 * has named one; on a terminal, show the content from its line on. Returns an
 * exit status.
 */
int grep_open_hit(const struct grep_row *hit);

/* Print the command with which the agent goes on from there. */
int grep_resume_hit(const struct grep_row *hit);

#endif
