/*
 * Names and pictures as the APIs take them. What they refuse they are given in
 * other words: a name's other characters are "_", and it is cut; a picture of
 * another kind is a text that says what it was.
 */
#ifndef SESSFS_AS_API_VALUES_H
#define SESSFS_AS_API_VALUES_H

#include "core/as/conversation.h"

/* Most of a tool's name. */
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

#endif
