/*
 * Headings of sessfs --grep --heading: where the hits below are.
 *
 *     mnt/by-id/9f3c1a2b/content  2026-03-01 10:00  user  HEAD  The name
 *
 * After the path come the entry's time, its role or type, its branch, and the
 * session's name, or else the start of what a person typed first. The branch is
 * HEAD if the entry is on the path to it, otherwise branches/TIP for the newest
 * tip that the entry leads to. Bookkeeping is on the branch of the entry that
 * it stands for.
 *
 * Used by one thread for a batch.
 */
#ifndef SESSFS_GREP_HEADING_H
#define SESSFS_GREP_HEADING_H

#include "commands/pieces.h"

/* The session that was described last. The caller zeroes it. */
struct grep_heading {
	const struct pieced *of;
	uint32_t epoch;
	uint32_t *tips; /* by entry: its tip, HEADING_HEAD, or INDEX_NONE */
	uint32_t n;
	struct buf words; /* the session's name, or its first words */
};

/*
 * Append what comes after the path of an entry, given its file name: nothing if
 * the session or the entry is not there any more. 0 or -ENOMEM.
 */
int grep_heading_add(struct grep_heading *h, const struct pieced *of,
		     struct span name, struct buf *out);
void grep_heading_free(struct grep_heading *h);

/*
 * Append text for a terminal: without control characters, except tabs, line
 * breaks and, if there are any, the colors that grep sets.
 */
void grep_heading_add_text(struct buf *out, struct span text, bool colors);

#endif
