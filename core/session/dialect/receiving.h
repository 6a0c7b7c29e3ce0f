/*
 * How an agent is given a conversation that another one has had
 * (core/as/conversation.h): a session file of its own format, which it opens
 * and goes on from. Where it belongs is said by dialect_resuming.find_copy().
 *
 * The file is the same each time for the same entry of the same session, to the
 * byte: ids are derived from conversation.key, and times are those of the
 * turns. What the agent adds by itself when it starts (its prompts, where it
 * runs) is not in it.
 */
#ifndef SESSFS_DIALECT_RECEIVING_H
#define SESSFS_DIALECT_RECEIVING_H

#include "core/base/buf.h"

struct conversation;

struct dialect_receiving {
	/* Tokens that its usual models take, for `info`. */
	uint32_t window;

	/* Append the file. 0 or -errno. */
	int (*write)(const struct conversation *c, struct buf *out);
};

#endif
