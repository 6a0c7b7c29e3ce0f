/*
 * JSON as lines of text that grep can search: a line for each value, after its
 * path. `content` shows the arguments of a tool call this way.
 *
 *     path: a.c
 *     edits[0].oldText: int x;
 *     edits[0].newText:
 *       int x;
 *       int y;
 *     options.dry: false
 *     ["odd key"]: []
 *
 * A string is printed without quotes. If it has several lines, they follow its
 * path, indented by two spaces. Numbers, true, false, null, and empty arrays
 * and objects are printed as JSON. Properties are in JavaScript's order (js.h).
 *
 * A key is printed as a JSON string in brackets if it is empty, or if one of
 * its characters has a meaning in a path (. [ ] " \), is a space, a control
 * character or half of a surrogate pair. So each value has a path of its own,
 * and a path has no line breaks.
 *
 * An array or object whose path is longer than FLAT_PATH_MAX bytes is printed
 * on one line, as compact JSON. This limits the depth, and keeps the size of
 * the output proportional to that of the values.
 */
#ifndef SESSFS_FLAT_H
#define SESSFS_FLAT_H

#include "core/json/json.h"

#define FLAT_PATH_MAX 256

/*
 * Append the members of an object or array; nothing for other values. The text
 * is WTF-8 (core/base/text.h). `out` fails if memory runs out.
 */
void flat_add(struct buf *out, struct json v);

#endif
