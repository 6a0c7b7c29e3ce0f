/*
 * Conversations as the APIs of models take them: a JSON array with a message on
 * each line, for "messages" of Anthropic's Messages API and of OpenAI's Chat
 * Completions, and for "input" of OpenAI's Responses API. Each is refused by
 * none of these as long as the model takes pictures of such types; tools are
 * the caller's to declare.
 *
 *   anthropic   Turns alternate, the user's first: turns of one side are one
 *               message, and a conversation that the assistant begins has
 *               "(continued)" before it. Results stand first in the user's.
 *               Those that failed have texts alone: their pictures and
 *               documents follow the last result. The last message of an
 *               assistant does not end in white space. Documents are blocks.
 *   openai      The texts of a message are one, each on lines of its own. A
 *               result is a message of the role "tool", without pictures: those
 *               of a turn follow as a message of the user.
 *   responses   An item for each message, call and result. A call with a text
 *               for arguments is a custom tool's.
 *
 * A result without a content says "(no output)". Names of tools and pictures
 * that an API refuses are changed as api_values.h says.
 *
 * A conversation without messages is "[]", and one that the assistant ends is
 * left so; the APIs want a message of the user, which the caller adds.
 */
#ifndef SESSFS_AS_API_H
#define SESSFS_AS_API_H

#include "core/as/conversation.h"

int as_anthropic(const struct conversation *c, struct buf *out);
int as_openai(const struct conversation *c, struct buf *out);
int as_responses(const struct conversation *c, struct buf *out);

/*
 * Pieces of the first, for the files of an agent that posts them: what the user
 * says first where the assistant begins, the block of a part, that of a result
 * with the parts that it can have, and whether a part is one of these.
 */
#define AS_ANTHROPIC_BEGINNING "(continued)"
void as_anthropic_part(struct json_writer *w, const struct part *p,
		       enum turn_role role);
void as_anthropic_result(struct json_writer *w, const struct conversation *c,
			 const struct turn *t);
bool as_anthropic_has(const struct turn *result, const struct part *p);

/*
 * And of the third: a content, where texts are of this type, and pictures that
 * are not taken are words; a call; and its result, which without a content says
 * `none`.
 */
typedef bool as_takes(const struct part *p);
void as_responses_parts(struct json_writer *w, const char *key,
			const struct part *p, uint32_t n, const char *text_type,
			as_takes *takes);
void as_responses_call(struct json_writer *w, const struct part *p);
void as_responses_result(struct json_writer *w, const struct conversation *c,
			 const struct turn *t, as_takes *takes,
			 const char *none);

#endif
