/*
 * How transcripts of Claude Code are rescued (struct dialect_rescue). They
 * have no header. A sidechain is a conversation of its own.
 */
#ifndef SESSFS_CLAUDE_RESCUE_H
#define SESSFS_CLAUDE_RESCUE_H

#include "core/session/dialect.h"

extern const struct dialect_rescue claude_rescue;

#endif
