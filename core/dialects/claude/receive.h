/*
 * A conversation of another agent as a transcript that Claude Code resumes
 * (core/session/dialect/receiving.h). Its blocks are those of core/as/api.h,
 * because the agent posts them as they are. Measured with 2.1.332:
 *
 *   - The lines are one chain. Each block of a response has a line, as the
 *     agent writes it, and so has each result.
 *   - Responses are from the model "<synthetic>", as those that the agent makes
 *     up itself. With the name of a foreign model it says at each start that it
 *     could not restore that one. They have no usage, so the agent estimates
 *     how much the conversation takes.
 *   - Calls of tools that it does not have are sent, but not shown.
 *   - The agent sends the calls of a response behind its texts.
 *   - It asks for a time in each line: 1970, if nothing says when.
 *   - A title for its list, and a pin at the last line, follow.
 *
 * If nothing was said, only the title is there: the agent finds no
 * conversation in it.
 */
#ifndef SESSFS_CLAUDE_RECEIVE_H
#define SESSFS_CLAUDE_RECEIVE_H

#include "core/session/dialect.h"

extern const struct dialect_receiving claude_receiving;

#endif
