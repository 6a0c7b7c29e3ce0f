/*
 * Pi's system messages (SystemMessage in pi-ai): a prompt in named sections,
 * and changes of the tools. A later message replaces some sections, or removes
 * them with null. `content` is mostly empty.
 */
#ifndef SESSFS_PI_SYSTEM_H
#define SESSFS_PI_SYSTEM_H

#include "core/json/json.h"

/* Is it a system message with more than its content? */
bool pi_is_system(struct json message);

/*
 * Append the text of such a message: content and sections as
 * getSystemMessageText() in pi-ai joins them, then
 *
 *     [section removed] NAME      a line for each
 *     [tools added] NAME, NAME
 *     [tools removed] NAME
 */
void pi_add_system(struct buf *out, struct json message);

#endif
