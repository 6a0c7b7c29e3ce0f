/*
 * What is taken of a user's line for other agents (MESSAGE_FORM_TAKEN).
 */
#ifndef SESSFS_CLAUDE_TAKEN_H
#define SESSFS_CLAUDE_TAKEN_H

#include "core/json/json.h"

/*
 * Append a content without the reminders before and after its texts and
 * results, or nothing if there are none. Returns false if nothing else is in
 * it, or if it is the agent's caveat before the commands that a person ran.
 */
bool claude_take(struct json content, struct buf *out);

/* Append a content with the text in reminders, without the tags. */
void claude_take_bare(struct json content, struct buf *out);

#endif
