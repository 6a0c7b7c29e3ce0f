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
 * that an API refuses are changed as said below.
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
 * Names and pictures as the APIs take them. What they refuse they are given in
 * other words: a name's other characters are "_", and it is cut; a picture of
 * another kind is a text that says what it was. The most of a tool's name:
 */
#define API_NAME_LIMIT 64
#define ANTHROPIC_NAME_LIMIT 128

/* In place of a result's content, where that is none. */
#define API_NO_OUTPUT "(no output)"

void api_write_name(struct json_writer *w, const char *key, struct json name,
		    size_t limit);

/*
 * Is a part a picture that the APIs take? A PNG, JPEG, GIF or WebP in clean
 * base64, or one at an https: URL. Its data says which of these it is, rather
 * than the agent.
 */
bool api_takes_picture(const struct part *p);

/* Is it one with data? Agents send no others: they fetch no addresses. */
bool api_takes_data(const struct part *p);

/* The media type that its data has. */
struct span api_mime(const struct part *p);

/* The URL of a picture that is taken: data:, or its own. */
void api_write_url(struct json_writer *w, const char *key,
		   const struct part *p);

/* Append a text. A picture that is not taken is [picture image/bmp 12345
 * bytes]. */
void api_add_text(struct buf *out, const struct part *p);

/*
 * Pieces of as_anthropic()'s, for the files of an agent that posts them: what
 * the user says first where the assistant begins, the block of a part, that of
 * a result with the parts that it can have, and whether a part is one of these.
 */
#define AS_ANTHROPIC_BEGINNING "(continued)"
void as_anthropic_part(struct json_writer *w, const struct part *p,
		       enum turn_role role);
void as_anthropic_result(struct json_writer *w, const struct conversation *c,
			 const struct turn *t);
bool as_anthropic_has(const struct turn *result, const struct part *p);

/*
 * And of as_responses()'s: a content, where texts are of this type, and
 * pictures that are not taken are words; a call; and its result, which without
 * a content says `none`.
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
