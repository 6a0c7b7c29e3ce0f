/*
 * `tree.html`: the session as one page that needs nothing else.
 *
 * core/show/page/page.html is the page, readable as it is: markup, style and
 * script, with a place for the data, a JSON text in a script element that is no
 * script. It is built into the program (core/show/page/page.S). The data, in
 * the order of core/session/tree_walk.h with bookkeeping, positions in it
 * counted from 0:
 *
 *     {"session": {"id", "name", "file", "dialect", "cwd", "labels"},
 *      "entries": [{
 *         "id", "name",      its file name, where that is not the id
 *         "parent",          a position before its own; none for a root
 *         "depth",           how far it is indented
 *         "branch",          1: one of several children, 2: the last of them
 *         "books",           1: bookkeeping, which a switch in the page shows
 *         "kind", "preview", as in tree.txt
 *         "label",
 *         "meta", "content", the files' texts
 *         "pictures": [{"name", "data"}]}],   data in base64
 *      "head": a position}
 *
 * What there is none of is left out. All of it is UTF-8. No byte of a session
 * can end the element: `<` is written \u003c. The page shows texts as texts;
 * nothing that a session says becomes markup or script, and nothing is fetched.
 *
 * Costs what the session has. A picture that can't be had (any more) is left
 * out. Errors are negative errno values.
 */
#ifndef SESSFS_PAGE_H
#define SESSFS_PAGE_H

#include "core/session/session.h"

int page_add(const struct session *s, struct buf *out);

#endif
