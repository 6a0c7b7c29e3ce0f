/*
 * A branch of a Claude Code session as a session of its own, which the agent
 * can resume.
 *
 * It has the path from the root to the entry, with all responses on it
 * completed (claude/response.h), so that each call is followed by its results.
 * If the entry is in the middle of a response, the rest of that response
 * follows it. The lines are one chain: a line from off the path, and one after
 * such a line, gets the line before it as its parent. So the last line is the
 * leaf by every rule of claude/leaf.h. It is also pinned, by an explicit
 * last-prompt.
 *
 * A line keeps its bytes, except for
 *
 *     sessionId      a new id, derived from the old one and the entry's id
 *     parentUuid     if the parent changes: see above, and null at a root whose
 *                    parent is missing (logicalParentUuid if that joins the
 *                    tree; then a missing one stays)
 *     isSidechain    false if the entry itself is on a sidechain
 *     forkedFrom     the origin of the line, as in the agent's own forks
 */
#ifndef SESSFS_CLAUDE_BRANCH_H
#define SESSFS_CLAUDE_BRANCH_H

#include "core/session/session.h"

int claude_branch(const struct session *s, uint32_t entry, struct buf *out);

#endif
