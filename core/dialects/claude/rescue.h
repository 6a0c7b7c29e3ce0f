/*
 * How transcripts of Claude Code are rescued (rescue_rules in dialect.h). They
 * have no header. A sidechain is a conversation of its own.
 */
#ifndef SESSFS_CLAUDE_RESCUE_H
#define SESSFS_CLAUDE_RESCUE_H

#include "core/session/dialect.h"

extern const struct rescue_rules claude_rescue;

#endif
