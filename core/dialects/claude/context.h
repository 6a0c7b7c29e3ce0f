/*
 * Contexts of Claude Code sessions (FORMATS.md, sections 6.2 and 6.3).
 *
 *   - What stands before the last compact_boundary on the path is cut away,
 *     but for the messages that the boundary preserves: these follow its
 *     anchor. A preserved entry that is there anyway is not sent twice.
 *   - Responses are made whole (claude/response.h). The fragments of one are
 *     one message, with all their blocks.
 *   - Only users' and assistants' lines are sent, each as {role, content} with
 *     the content that it has; those of a sidechain only to who is on one.
 */
#ifndef SESSFS_CLAUDE_CONTEXT_H
#define SESSFS_CLAUDE_CONTEXT_H

#include "core/session/dialect.h"

int claude_context(const struct session *s, const struct path *p,
		   struct messages *to);

/* The model that answered last on the path to the leaf, not a made-up one. */
int claude_settings(const struct session *s, uint32_t leaf, struct buf *model,
		    struct buf *thinking);

#endif
