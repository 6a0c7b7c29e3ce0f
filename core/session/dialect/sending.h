/*
 * What the agent would send to a model, and the session file that it would
 * continue from an entry.
 */
#ifndef SESSFS_DIALECT_SENDING_H
#define SESSFS_DIALECT_SENDING_H

#include "core/session/message.h"
#include "core/session/path.h"

struct conversation;
struct session;

struct dialect_sending {
	/*
	 * Add the messages that the agent would send to the model with the last
	 * entry of the path as the leaf. context_grows: lines that are not on
	 * the path may add to them later.
	 */
	int (*context)(const struct session *s, const struct path *p,
		       struct messages *to);
	bool context_grows;

	/*
	 * Append a session file with the path to an entry: the nth of them,
	 * from 1 on. Each is the same every time, and has ids of its own where
	 * an agent goes on from it.
	 */
	int (*branch)(const struct session *s, uint32_t entry, unsigned nth,
		      struct buf *out);
};

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
struct dialect_receiving {
	/* Tokens that its usual models take, for `info`. */
	uint32_t window;

	/* Append the file. 0 or -errno. */
	int (*write)(const struct conversation *c, struct buf *out);
};

#endif
