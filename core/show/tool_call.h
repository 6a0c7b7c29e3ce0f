/*
 * The argument of a tool call that tells most: the command of a shell, the file
 * of an edit, the pattern of a search.
 *
 * Agents name tools as they like, but their arguments alike. So the argument is
 * chosen by its own name, and if none of its names is known, it is the first
 * short string.
 */
#ifndef SESSFS_TOOL_CALL_H
#define SESSFS_TOOL_CALL_H

#include "core/json/json.h"

/*
 * Append the argument as WTF-8; nothing if none tells anything. A file is
 * relative to `cwd` if it is below that folder, and a file that is read has its
 * lines: wc.c:1-40.
 */
void tool_call_add_argument(struct buf *out, struct json name,
			    struct json arguments, struct span cwd);

#endif
