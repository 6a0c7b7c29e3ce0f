/*
 * Headings of sessfs grep on a terminal: where the hits below are. They fit a
 * terminal, so what a session's hits share is above the first one of them:
 *
 *     mnt/2026-03-01_a  pi ~/work/wc 2026-03-01 "The name of the session"
 *     by-id/9f3c1a2b  2026-03-01 10:00  user  HEAD
 *     3:a hit
 *
 *     by-id/0c4e5d6f  2026-03-01 10:05  assistant  HEAD
 *     1:another one
 *
 * A session has its path, if the user named one, and what session_line.h says
 * of it. If none was named, an entry's folder follows the session's id, as
 * commands take it (target.h). An entry has its
 * folder in the session, with its id as short as it can be typed
 * (core/session/short_ids.h), its time, its role or type, and its branch. The
 * branch is HEAD if the entry is on the path to it, otherwise branches/TIP for
 * the newest tip that the entry leads to, as short as well. Bookkeeping is on
 * the branch of the entry that it stands for.
 */
#ifndef SESSFS_GREP_HEADING_H
#define SESSFS_GREP_HEADING_H

#include "core/session/short_ids.h"
#include "core/session/session.h"

/* What is known of a session, while it is entered. The caller zeroes it. */
struct grep_heading {
	uint32_t *tips; /* by entry: its tip, or INDEX_NONE */
	uint32_t head;	/* the tip of HEAD's path */
	struct short_ids ids;
};

/*
 * Append an entry's folder, and what comes after it. 0 or -errno. What can't be
 * read any more is left out.
 */
int grep_heading_add(struct grep_heading *h, const struct session *s,
		     uint32_t entry, struct buf *folder, struct buf *out);

/*
 * For rows to be chosen from: append the entry's local time, its role or type,
 * the session's agent and project, the time in UTC, and the session that its
 * own was forked off. A NUL ends each.
 */
void grep_heading_add_row(const struct session *s, uint32_t entry,
			  struct buf *out);

/* Before the session is left. */
void grep_heading_end(struct grep_heading *h);

#endif
