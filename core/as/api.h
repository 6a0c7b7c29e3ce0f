/*
 * Conversations as the APIs of models take them: a JSON array with a message on
 * each line, for "messages" of Anthropic's Messages API and of OpenAI's Chat
 * Completions, and for "input" of OpenAI's Responses API. Each is refused by
 * none of these as long as the model takes pictures of such types; tools are
 * the caller's to declare.
 *
 *   anthropic   turns alternate, the user's first, so turns of one side are one
 *               message, and results stand first in the user's
 *   openai      a result is a message of the role "tool", which has text alone:
 *               its pictures follow as a message of the user
 *   responses   an item for each text, picture, call and result
 */
#ifndef SESSFS_AS_API_H
#define SESSFS_AS_API_H

#include "core/as/conversation.h"

/* Append it. */
int as_anthropic(const struct conversation *c, struct buf *out);
int as_openai(const struct conversation *c, struct buf *out);
int as_responses(const struct conversation *c, struct buf *out);

#endif
