/*
 * The candidates that are files, the newest first: those in the folder that is
 * typed, and sessions where the agents keep them.
 */
#ifndef SESSFS_CANDIDATE_FILES_H
#define SESSFS_CANDIDATE_FILES_H

#include "mount/commands/candidates.h"

void candidates_add_folders(const struct candidates *c);
void candidates_add_files(const struct candidates *c);

/* Also the sessions of the agents, by their ids. */
void candidates_add_sessions(const struct candidates *c);

/* The last parts of the working directories of the agents' sessions. */
void candidates_add_projects(const struct candidates *c);

#endif
