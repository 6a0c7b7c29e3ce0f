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
 * A session has its path, if the user named one; its agent, its working
 * directory and the day of its newest entry; and its name or else the start of
 * what a person typed first. An entry has its folder in the session, its time,
 * its role or type, and its branch. The branch is HEAD if the entry is on the
 * path to it, otherwise branches/TIP for the newest tip that the entry leads
 * to; a long name is cut. Bookkeeping is on the branch of the entry that it
 * stands for.
 *
 * Used by one thread for a batch.
 */
#ifndef SESSFS_GREP_HEADING_H
#define SESSFS_GREP_HEADING_H

#include "mount/operands/pieces.h"

/* The session whose entry was described last. The caller zeroes it. */
struct grep_heading {
	const void *of;
	uint32_t epoch;
	uint32_t *tips; /* by entry: its tip, HEADING_HEAD, or INDEX_NONE */
	uint32_t n;
};

/*
 * Append what comes after the path of a session, at most so many columns, or
 * after the folder of an entry. The session is entered. 0 or -errno.
 */
int grep_heading_add_session(const struct session *s, size_t columns,
			     struct buf *out);
int grep_heading_add_entry(struct grep_heading *h, const struct session *s,
			   uint32_t entry, struct buf *out);

/*
 * The same of a piece's session, and of an entry's name. That is nothing if the
 * session or the entry is not there any more.
 */
void grep_heading_add_pieced(const struct pieced *of, size_t columns,
			     struct buf *out);
void grep_heading_add_named(struct grep_heading *h, const struct pieced *of,
			    struct span name, struct buf *out);

/*
 * For rows to be chosen from: append the entry's local time, its role or type,
 * its time in UTC, and the session that its own was forked off. A NUL ends
 * each.
 */
void grep_heading_add_row(const struct pieced *of, struct span name,
			  struct buf *out);

void grep_heading_free(struct grep_heading *h);

#endif
