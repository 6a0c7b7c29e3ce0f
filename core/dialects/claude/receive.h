/*
 * A conversation of another agent as a transcript that Claude Code resumes
 * (core/session/dialect/receiving.h). Measured with the agent:
 *
 *   - Its lines are one chain. Each block of a response has a line, as the
 *     agent writes it, and so has each result.
 *   - Responses are from the model "<synthetic>", as those that the agent makes
 *     up itself. So they count for nothing, the agent estimates how much the
 *     conversation takes, and goes on with the model of the user's choice.
 *   - Calls of tools that it does not have are sent as they are.
 *   - The agent sends calls behind the texts of their response.
 *   - It asks for a time in each line: 1970, if nothing says when.
 *   - A title, and a pin at the last line, follow.
 */
#ifndef SESSFS_CLAUDE_RECEIVE_H
#define SESSFS_CLAUDE_RECEIVE_H

#include "core/session/dialect.h"

extern const struct dialect_receiving claude_receiving;

#endif
