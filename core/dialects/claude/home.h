/*
 * Where Claude Code keeps transcripts: a folder for each working directory in
 * ~/.claude/projects (CLAUDE_CONFIG_DIR). Several directories may have one.
 */
#ifndef SESSFS_CLAUDE_HOME_H
#define SESSFS_CLAUDE_HOME_H

#include "core/base/buf.h"

/* Append the folder of the folders. */
void claude_add_projects(struct buf *out);

#endif
