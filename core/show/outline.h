/*
 * `tree.txt`: the whole tree drawn, in the form of the Pi family's own /tree.
 *
 *     aa000004 user  list the files
 *     aa000008 assistant  Done with approach A. [good]
 *     ├─ aa000010 user  try approach B
 *     │     aa000011 assistant  B is worse. [dead end]
 *     └─ aa000012 branch_summary  Tried B; it was worse. ← HEAD
 *
 * A line for each entry that is no bookkeeping (core/session/tree_walk.h), root
 * first, children by time (file order where that is equal). It is indented only
 * where the tree branches. The preview of what the entry says is cut, at whole
 * characters, so that a line has at most 100 columns. Branches more than 12
 * deep are drawn at that depth, the real one in front ("⋯15 "), so that a
 * line's length does not grow with the tree.
 *
 * In colors (SGR escapes, as less -R shows them; each line ends without any)
 * entries on the path to HEAD stand out, and so do roles and labels. Without
 * the escapes it is the same text. What entries say has no escapes in it.
 */
#ifndef SESSFS_OUTLINE_H
#define SESSFS_OUTLINE_H

#include "core/session/session.h"

int outline_add(const struct session *s, bool color, struct buf *out);

#endif
