/*
 * `tree.txt`: the whole tree drawn, in the form of the Pi family's own /tree.
 *
 *     aa000004 user  list the files
 *     aa000008 assistant  Done with approach A. [good]
 *     ├─ aa000010 user  try approach B
 *     │     aa000011 assistant  B is worse. [dead end]
 *     └─ aa000012 branch_summary  Tried B; it was worse. ← HEAD
 *
 * Each entry that is not bookkeeping (core/session/tree_walk.h) has a line. The
 * root is first, and children are sorted by time, then by file order. Lines are
 * indented only where the tree branches. The preview is cut, at whole
 * characters, so that a line has at most 100 columns. Branches more than 12
 * deep are drawn at that depth, after the real one ("⋯15 "), so that the length
 * of a line does not grow with the tree.
 *
 * With colors, the path to HEAD, roles and labels are highlighted by SGR
 * escapes, which less -R shows; each line ends without any. The text is the
 * same otherwise. Control characters in the content become spaces.
 */
#ifndef SESSFS_OUTLINE_H
#define SESSFS_OUTLINE_H

#include "core/session/session.h"

int outline_add(const struct session *s, bool color, struct buf *out);

#endif
