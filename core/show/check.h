/*
 * The faults of a session: those of single lines, which were recorded when the
 * lines were read (problems.h), and those of the whole, such as a missing
 * header. `info` counts them by kind, `sessfs check` lists them by line.
 *
 * The session must be entered.
 */
#ifndef SESSFS_CHECK_H
#define SESSFS_CHECK_H

#include "core/session/session.h"

/* Append "key: value" lines, without the sidecar's and the base's. */
void check_add_info(const struct session *s, struct buf *out);

/*
 * Append lines "FILE: FAULT", then lines "FILE:LINE: FAULT"; nothing if there
 * are no faults. Line breaks in `file` are escaped.
 */
void check_add_lines(const struct session *s, struct span file,
		     struct buf *out);

/*
 * reach.c: how far the agent comes when it follows parents from each tip of a
 * session, and why it stops; for `sessfs check`.
 *
 * An agent walks from a tip to the root. It comes no further than an entry
 * whose parent is missing, or where parents form a cycle. All that precedes it
 * is lost to the agent, although it is in the file.
 */

/* Of the tips, so many have a line of their own. */
#define REACH_TIPS 20

struct reach {
	uint32_t *tips; /* in file order, those that stop short first */
	uint32_t n_tips;
	uint32_t n_short; /* of these stop short of a root */
	uint32_t *depth;  /* by entry: entries from the root to it */
	uint32_t *root;	  /* by entry */
	/* An entry without a timestamp, which is read over here; 0: none. */
	uint32_t timeless;
	/* For the first tips, the bad line that has the id of the parent. */
	uint32_t bad_line[REACH_TIPS];
};

/*
 * Find out. The session must be entered. If tips stop short and it has bad
 * lines, its file is read again. 0 or -errno; the caller calls reach_free() in
 * either case.
 */
int reach_load(struct reach *r, const struct session *s);
void reach_free(struct reach *r);

/* Does the agent lose something, or fail? */
bool reach_is_short(const struct reach *r, const struct session *s);

/*
 * Append lines "FILE: …", with the file's name as it is to be shown: one for
 * each tip if some stop short, else one for the session if it has tips and the
 * agent opens it.
 */
void reach_add_lines(const struct reach *r, const struct session *s,
		     const char *file, struct buf *out);

#endif
