/*
 * The context: what the model would be sent with an entry as the leaf.
 *
 * The path root→entry; then, for the Pi family (FORMATS.md, section 3.4):
 *
 *   - The latest compaction on the path stands first, then what it keeps of the
 *     entries before it, then what comes after it. Older ones emit nothing.
 *   - Of the context edits among these entries the last one for a target
 *     changes what the target emits.
 *
 * What an entry emits is its dialect's business (dialect.h, messages).
 */
#ifndef SESSFS_CONTEXT_H
#define SESSFS_CONTEXT_H

#include "core/message.h"
#include "core/session.h"

/*
 * Append the context. The text ends with a newline, or is empty; the JSON is an
 * array with a message a line.
 */
int context_add(const struct session *s, uint32_t entry, enum message_form form,
		struct buf *out);

#endif
