/*
 * The leaf of a Claude Code session: where the agent goes on when it resumes it
 * (sessfs-formats(5)).
 *
 *   1. The last line in the file that is of the main chain, with a line of a
 *      user or the assistant at or above it; from there down to the newest tip.
 *      If the agent has forgotten it (claude/kept.h), what the boundary keeps,
 *      else the last line below the boundary, else the boundary.
 *   2. A pin (a last-prompt line) replaces it: if it is explicit and the
 *      conversation has not gone on since, or if it is off the conversation.
 *      The last line of its completed chain (claude/response.h) is the leaf. A
 *      pin on no line of the file leaves rule 1's line itself, whatever follows
 *      it.
 *   3. A response that has nothing to send (thinking, blank texts) is passed
 *      over. Of one with calls that have no result the last line with such a
 *      call is the leaf: the agent makes up a result.
 *
 * A line that is never sent (turn_duration and such) is not shown as the leaf:
 * HEAD is then the nearest line of a user or the assistant above it.
 *
 * A transcript of sidechain lines alone, that of a subagent, is no conversation
 * to the agent. Here its last line is the leaf.
 *
 * HEAD is the leaf, unless the sidecar has moved it and the transcript's own
 * leaf is still the one of that time.
 */
#ifndef SESSFS_CLAUDE_LEAF_H
#define SESSFS_CLAUDE_LEAF_H

#include "core/session/session.h"

/* See dialect_reading.find_leaf(). */
int claude_find_leaf(struct session *s);

/*
 * dialect_agent.unopened(): without a line that rule 1 finds, such as in one of
 * titles or sidechains alone, the agent finds no conversation.
 */
struct unopened claude_unopened(const struct session *s);

#endif
