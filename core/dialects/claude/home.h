/*
 * Where Claude Code keeps transcripts: a folder for each working directory in
 * ~/.claude/projects (CLAUDE_CONFIG_DIR). Several directories may have one.
 */
#ifndef SESSFS_CLAUDE_HOME_H
#define SESSFS_CLAUDE_HOME_H

#include "core/session/dialect/home.h"

extern const struct dialect_home claude_home;

#endif
