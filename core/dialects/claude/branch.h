/*
 * A branch of a Claude Code session as a session of its own, which the agent
 * can resume, and from which it sends the entry's context (claude/context.h).
 *
 * It has the agent's chain to the entry (claude/chain.h), with all responses on
 * it completed (claude/response.h), so that each call is followed by its
 * results. If the entry is in the middle of a response, the rest of that
 * response follows it. Before the chain stands the history that its boundary
 * cuts off. The lines are one chain, each the child of the one before it. So
 * the last line is the leaf by every rule of claude/leaf.h. It is also pinned,
 * by an explicit last-prompt.
 *
 * A record over several lines is put on one. A line keeps its bytes, except for
 *
 *     sessionId        a new id, derived from the old one and the entry's id
 *     parentUuid       if the parent changes, and null at the first line
 *                      (logicalParentUuid if that joins the tree; then a
 *                      missing one stays)
 *     isSidechain      false: the agent goes on from no sidechain
 *     compactMetadata  without what the boundary keeps: that is on the chain
 *     forkedFrom       the origin of the line, as in the agent's own forks
 */
#ifndef SESSFS_CLAUDE_BRANCH_H
#define SESSFS_CLAUDE_BRANCH_H

#include "core/session/session.h"

int claude_branch(const struct session *s, uint32_t entry, unsigned nth,
		  struct buf *out);

#endif
