/*
 * The context of an entry: the messages that the agent would send to the model
 * with this entry as the leaf. The dialect makes them of the path from the root
 * to the entry (dialect_sending.context), and message.h prints them.
 */
#ifndef SESSFS_CONTEXT_H
#define SESSFS_CONTEXT_H

#include "core/session/message.h"
#include "core/session/session.h"

/*
 * Append the context. The text form ends with a newline, or is empty. The JSON
 * form is an array with each message on a line. Returns 0 or -errno.
 */
int context_add(const struct session *s, uint32_t entry, enum message_form form,
		struct buf *out);

#endif
