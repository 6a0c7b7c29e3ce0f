/*
 * `tree.txt`: the whole tree drawn, in the form of the Pi family's own /tree.
 *
 *     aa000004 user  list the files
 *     aa000008 assistant  Done with approach A. [good]
 *     ├─ aa000010 user  try approach B
 *     │     aa000011 assistant  B is worse. [dead end]
 *     └─ aa000012 branch_summary  Tried B; it was worse. ← HEAD
 *
 * Each entry that is not bookkeeping (core/session/tree_walk.h) has a line,
 * with its kind and words (core/show/words.h). A run of notes has one, with the
 * id of the last: "aa000009 9 notes" (core/show/note_runs.h). The root is
 * first, and children are sorted by time, then by file order. Lines are
 * indented only where the tree branches. Words are cut so that a line is as
 * wide as the caller asks for. It is wider only where all else leaves them less
 * than 12 columns, and at 100 and more it never is. Branches that are deeper
 * than 12, or than a narrow drawing has room for, are drawn at that depth,
 * after the real one ("⋯15 "), so that the length of a line does not grow with
 * the tree. Ids are shown as core/session/short_ids.h has them.
 *
 * With colors, the path to HEAD, roles, labels and failed results are
 * highlighted by SGR escapes, which less -R shows, and what nobody said or did
 * is dimmed; each line ends without any. Where there is room, lines have the
 * times of their entries, "03-01 10:00", local, after the ids. The text is the
 * same otherwise.
 */
#ifndef SESSFS_OUTLINE_H
#define SESSFS_OUTLINE_H

#include "core/session/session.h"

/* The columns of a line, unless the user asks for others, and the limits. */
#define OUTLINE_COLUMNS 100
#define OUTLINE_COLUMNS_LEAST 40
#define OUTLINE_COLUMNS_MOST 1000

/* `columns` within the limits; 0: OUTLINE_COLUMNS. */
int outline_add(const struct session *s, bool color, unsigned columns,
		struct buf *out);

#endif
