/*
 * Contexts of Claude Code sessions: what the agent sends when it resumes at an
 * entry (FORMATS 6.1 to 6.3).
 *
 * The lines of the entry's chain (claude/chain.h), with their responses
 * completed (claude/response.h), are read and chosen (claude/sent.h), and then
 * paired:
 *
 *   - The fragments of a response are one message. Calls are last in it, and
 *     those of the tool Task have its new name, Agent.
 *   - A call has one result, in the next message of the user. A missing one is
 *     made up, as the agent does, unless the session ends there. Results of
 *     other calls, and second ones, are dropped. What is empty then has a
 *     placeholder.
 *   - Lines of the user in a row are a message each, unless a result follows
 *     other blocks: then they are one message, and its results are first.
 *   - Thinking is sent only to the model that it is from: the last one on the
 *     chain. Empty texts are not sent.
 *   - Of more than 600 pictures and documents, or 100 for models before
 *     claude-opus-4-7, the oldest are left out, 21 at a time. In a result, or
 *     alone in a message, a text takes their place.
 *
 * What the agent adds by itself when it resumes is not in the context: results
 * made up at the tip, and "No response requested.".
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
