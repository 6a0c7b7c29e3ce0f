/*
 * `tree.html`: the session as one page without other files.
 *
 * core/show/page/page.html is the page: markup, style and script, and a
 * <script> element of type application/json for the data. It is linked into the
 * program (core/show/page/page.S). The data has the entries in the order of
 * core/session/tree_walk.h with bookkeeping. Positions are counted from 0:
 *
 *     {"session": {"id", "name", "file", "dialect", "cwd", "labels",
 *                  "words",     the first ones, if it has no name
 *                  "usage"},    lines of `info`
 *      "entries": [{
 *         "id",
 *         "name",            its file name, if it differs from the id
 *         "short",           the same of core/session/short_ids.h
 *         "parent",          a position before its own; none for a root
 *         "depth",           how deep it is indented
 *         "branch",          1: one of several children, 2: the last of them
 *         "books",           1: bookkeeping, hidden by a switch in the page
 *         "unsaid",          1: nobody said or did it
 *         "run",             of the first of a run of notes: how many they are
 *                            (core/show/note_runs.h)
 *         "kind", "preview", as in tree.txt
 *         "failed",          1: it has a result that is an error
 *         "label",
 *         "meta", "content", the files' texts
 *         "parts": [{        what the content is of; none: one text
 *            "type",         text, thinking, call, result, picture or json
 *            "at", "n",      its place, in UTF-16 units; no n: it is empty
 *            "inner",        1: it is a part of the result before it
 *            "id",           of a call; of a result, its call's
 *            "name",         of the tool
 *            "telling",      the argument of a call (core/show/calls.h)
 *            "failed"}],     1: the result is an error
 *         "pictures": [{"name", "data"}]}],   data in base64
 *      "head": a position}
 *
 * Members without a value are left out. All text is UTF-8. The content of a
 * session can't end the element, because `<` is written \u003c, and the page
 * inserts it as text only, never as markup or script. The page fetches nothing.
 *
 * For markdown the page has a library, core/show/page/markdown-it.min.js, which
 * returns tokens. The page makes elements of those that it knows. So the policy
 * in its <meta> can forbid all parsing of markup by scripts.
 *
 * Costs time and memory proportional to the session. A picture that can't be
 * read is left out. Returns 0 or -errno.
 */
#ifndef SESSFS_PAGE_H
#define SESSFS_PAGE_H

#include "core/session/session.h"

int page_add(const struct session *s, struct buf *out);

#endif
