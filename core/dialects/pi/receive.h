/*
 * Conversations of other agents as sessions of Pi and of oh-my-pi
 * (dialect_receiving; Pi 1.6.0, oh-my-pi 18.3.4). Both have a header, and then
 * a message for each turn in one chain. They differ in where the title stands,
 * and in what else a message says: struct pi_receiver.
 *
 *   ids        eight digits that no other entry of the file has
 *   pictures   as the APIs take them (core/as/api_values.h); others, and those
 *              at an address, which neither agent fetches, in words
 *   user       texts side by side are one, each on lines of its own: both
 *              agents show a user's texts with nothing between them
 *   assistant  of the model that had it, if the agent that had it says which;
 *              from an API that no model has, so that nothing is taken for
 *              what a model may be given back unchanged. It has used nothing:
 *              what it cost stands in the session that it is from
 *   result     the tool's name as it is, whether or not the agent has the tool
 */
#ifndef SESSFS_PI_RECEIVE_H
#define SESSFS_PI_RECEIVE_H

#include "core/as/conversation.h"
#include "core/dialects/kit/ids.h"

/* A file that is being written. */
struct pi_receiving {
	const struct conversation *c;
	const struct pi_receiver *how;
	struct id_space ids;
	uint32_t first_id; /* entries' ids are made of this and their number */
	uint32_t n;	   /* entries */
	struct buf *out;
};

struct pi_receiver {
	/* Append what stands before the messages, with pi_receive_header(). */
	void (*begin)(struct pi_receiving *x);
	/* Messages say whether they are a user's or an agent's. */
	bool attributed;
};

/* Append the file. 0 or -errno. */
int pi_receive_as(const struct conversation *c, const struct pi_receiver *how,
		  struct buf *out);

/* Begin the header, with what both have. The caller ends it. */
struct json_writer pi_receive_header(struct pi_receiving *x);

/*
 * What each of the models takes that Pi 1.6.0 begins with, whatever provider a
 * user has: OpenAI's take least, Anthropic's and Google's a million. The same
 * is said of oh-my-pi, which has the same providers.
 */
#define PI_WINDOW 272000

#endif
