/*
 * Which lines are Claude Code's: entries, and records that the agent keeps
 * among them. The types of records are those that 2.1.332 names.
 */
#ifndef SESSFS_CLAUDE_CLAIMS_H
#define SESSFS_CLAUDE_CLAIMS_H

#include "core/json/json.h"

/* As struct dialect has it. */
const char *claude_claims(struct json line);
/* See dialect_rescue.is_line. In a transcript, more is a line than tells one.
 */
bool claude_is_line(struct json object);

#endif
