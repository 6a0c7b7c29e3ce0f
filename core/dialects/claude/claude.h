/* Claude Code's sessions. */
#ifndef SESSFS_CLAUDE_H
#define SESSFS_CLAUDE_H

#include "core/session/dialect.h"

extern const struct dialect dialect_claude;

#endif
