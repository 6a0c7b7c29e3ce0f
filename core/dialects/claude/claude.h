/* Claude Code's sessions, and the facets that stand beside their functions. */
#ifndef SESSFS_CLAUDE_H
#define SESSFS_CLAUDE_H

#include "core/session/dialect.h"

extern const struct dialect dialect_claude;

extern const struct dialect_adding claude_adding;
extern const struct dialect_bases claude_bases;
extern const struct dialect_home claude_home;
extern const struct dialect_outside claude_outside;
extern const struct dialect_reading claude_reading;
extern const struct dialect_receiving claude_receiving;
extern const struct dialect_resuming claude_resuming;
extern const struct dialect_showing claude_showing;
extern const struct dialect_subagents claude_subagents;
extern const struct dialect_writing claude_writing;

/* What its tools make of files. */
extern const struct dialect_filing claude_filing;

#endif
