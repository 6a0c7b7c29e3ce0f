/*
 * Pi's system messages (FORMATS.md, section 3; pi-ai's SystemMessage): a prompt
 * in named sections, of which a later message replaces some or removes them
 * (null), and changes of the tools. `content` is mostly empty then.
 */
#ifndef SESSFS_PI_SYSTEM_H
#define SESSFS_PI_SYSTEM_H

#include "core/json/json.h"

/* Is it a system message that says something beside its content? */
bool pi_is_system(struct json message);

/* A message's content; absent if it is such a message. */
struct json pi_content(struct json message);

/*
 * Append such a message's text: content and sections as pi-ai's
 * getSystemMessageText() joins them, then
 *
 *     [section removed] NAME      a line for each
 *     [tools added] NAME, NAME
 *     [tools removed] NAME
 */
void pi_add_system(struct buf *out, struct json message);

#endif
