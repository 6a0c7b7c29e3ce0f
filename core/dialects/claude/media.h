/*
 * Pictures and documents in a context of Claude Code. Of more than 600, or 100
 * for models before claude-opus-4-7, the oldest are left out, 21 at a time. In
 * a result a text takes the place of each. So does one text in the place of a
 * turn of the user with nothing else.
 */
#ifndef SESSFS_CLAUDE_MEDIA_H
#define SESSFS_CLAUDE_MEDIA_H

#include "core/session/message.h"

/* Zeroed: none are left out. The caller frees `body`. */
struct claude_media {
	size_t n;	 /* those in all messages so far */
	size_t left_out; /* so many are still to be left out */
	/* Of the messages of the user since the last other one: */
	bool any;     /* one was sent */
	bool emptied; /* one had only what was left out */
	int64_t when; /* the next message was said: message.when */
	struct buf body;
};

/* How many of n have to be left out for a model? */
size_t claude_media_too_many(size_t n, struct span model);

/* Send a message; claude_media_end() after the last one. */
void claude_media_send(struct claude_media *m, struct messages *to,
		       enum message_role role, struct json content);
void claude_media_end(struct claude_media *m, struct messages *to);

#endif
