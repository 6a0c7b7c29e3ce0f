/*
 * The context: what the model would be sent with an entry as the leaf.
 *
 * What the path root→entry comes to is its dialect's business (dialect.h,
 * context); how messages are printed is message.h's.
 */
#ifndef SESSFS_CONTEXT_H
#define SESSFS_CONTEXT_H

#include "core/session/message.h"
#include "core/session/session.h"

/*
 * Append the context. The text ends with a newline, or is empty; the JSON is an
 * array with a message a line.
 */
int context_add(const struct session *s, uint32_t entry, enum message_form form,
		struct buf *out);

#endif
