/*
 * Contexts of Claude Code sessions.
 *
 *   - Entries before the last compact_boundary on the path are not sent, except
 *     for those that the boundary preserves, which follow its anchor. No entry
 *     is sent twice.
 *   - Responses are completed (claude/response.h). The fragments of a response
 *     are one message with all their blocks.
 *   - Only lines of users and assistants are sent, each as {role, content} with
 *     unchanged content. Lines on a sidechain are sent only if the leaf is on
 *     one too.
 */
#ifndef SESSFS_CLAUDE_CONTEXT_H
#define SESSFS_CLAUDE_CONTEXT_H

#include "core/session/dialect.h"

int claude_context(const struct session *s, const struct path *p,
		   struct messages *to);

/* The last model on the path to the leaf that is not <synthetic>. */
int claude_settings(const struct session *s, uint32_t leaf, struct buf *model,
		    struct buf *thinking);

#endif
