/*
 * A branch of a Claude Code session as one of its own, which a resume accepts
 * (FORMATS.md, section 6.4).
 *
 * It has the path root→entry with all responses on it made whole
 * (claude/response.h), so that no call is cut from its results; where the entry
 * is in the middle of a response, the rest of that comes behind it. The lines
 * are one chain: one that came from off the path, or stands behind such a line,
 * names the line before it as its parent. Thus every rule of 6.2 finds the same
 * leaf, which is the last line and also pinned, by an explicit last-prompt.
 *
 * A line keeps its bytes, but for
 *
 *     sessionId      a new one, derived from the old one and the entry's id
 *     parentUuid     where that changes: see above, and null at a root whose
 *                    parent is missing (logicalParentUuid, where the tree is
 *                    joined by that; a missing one stays)
 *     isSidechain    false, if the entry itself is on a sidechain
 *     forkedFrom     where the line comes from, as in other forks
 */
#ifndef SESSFS_CLAUDE_BRANCH_H
#define SESSFS_CLAUDE_BRANCH_H

#include "core/session/session.h"

int claude_branch(const struct session *s, uint32_t entry, struct buf *out);

#endif
