/*
 * JSON as lines of text, so that grep finds what is in it: a line for each
 * value, under the path that leads there. This is how a tool call's arguments
 * are shown (DESIGN.md, "content").
 *
 *     path: a.c
 *     edits[0].oldText: int x;
 *     edits[0].newText:
 *       int x;
 *       int y;
 *     options.dry: false
 *     ["odd key"]: []
 *
 * A string stands as it is. One of several lines stands below its path,
 * indented by two spaces. Numbers, true, false and null are JSON, and so are
 * empty arrays and objects. Properties come in JavaScript's order (js.h).
 *
 * A key is written as a JSON string in brackets if it is empty, or if one of
 * its characters has a meaning in a path (. [ ] " \), is a space, a control
 * character or half of a surrogate pair. So no two values have the same path,
 * and a path never ends a line.
 *
 * An array or object whose path is longer than FLAT_PATH_MOST bytes stands on
 * one line, as compact JSON. Each level makes the path longer by two bytes at
 * least, so the limit bounds the depth too, and the output is never larger than
 * the limit for each value, and the values.
 */
#ifndef SESSFS_FLAT_H
#define SESSFS_FLAT_H

#include "core/json/json.h"

#define FLAT_PATH_MOST 256

/*
 * Append the members of an object or array; nothing for other values. The text
 * is WTF-8 (text.h). `out` fails if memory runs out.
 */
void flat_add(struct buf *out, struct json v);

#endif
