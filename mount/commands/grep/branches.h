/*
 * Many fixed strings as one pattern of PCRE2 in which those that begin alike
 * share their beginning: of "one", "only" and "two", on(?:e|ly)|two. It matches
 * where any of them does, but perhaps another one first, so it only tells
 * whether there is a match. A list of branches would be tried from its start at
 * each character.
 */
#ifndef SESSFS_GREP_BRANCHES_H
#define SESSFS_GREP_BRANCHES_H

#include "core/base/buf.h"

/*
 * Append the pattern of n strings, which are sorted here. Characters that may
 * mean something are escaped. 0 or -ENOMEM.
 */
int branches_add(struct buf *out, struct span *texts, size_t n);

/* Append a fixed string. */
void branches_add_text(struct buf *out, struct span text);

/* Does the byte stand for itself in a pattern? */
bool branches_is_plain(char c);

#endif
