/*
 * What sessfs grep prints of hits: paths, line numbers, separators and
 * headings, in the colors that grep has if they are wanted; or rows to be
 * chosen from (hits.h).
 *
 * Used by one thread for a batch. An error is in *out (buf_error()).
 *
 * Batches are printed by several threads at once, and then written in order. A
 * session may go on in the next batch: the heading that it has there, too, is
 * left out then, by what the batch notes of headings.
 */
#ifndef SESSFS_GREP_PRINT_H
#define SESSFS_GREP_PRINT_H

#include "core/session/session.h"
#include "core/session/short_ids.h"
#include "mount/commands/grep/options.h"
#include "mount/commands/grep/pattern.h"
#include "mount/operands/pieces.h"

/*
 * Headings on a terminal (heading.c): where the hits below are. They fit a
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

/* A line of a content. */
struct grep_line {
	uint64_t number;  /* from 1 */
	bool selected;	  /* else it is context */
	struct span text; /* without its newline */
};

struct grep_printer {
	/* The caller sets these, and zeroes the others. */
	const struct grep_options *how;
	struct matcher *matcher; /* shows where the matches are */
	struct batch *batch;	 /* gets which sessions have headings */
	struct buf *out;	 /* empty */

	/* The content whose lines are printed, of a session that is entered. */
	struct pieced *of;
	const struct session *session;
	uint32_t entry;

	/* private */
	struct pieced *last_of; /* the session that the batch ends with */
	uint64_t last;		/* line of the content; 0: none */
	struct buf before;	/* each line of the content: path, or columns */
	struct buf plain;	/* a text without what a terminal hides */
	struct grep_heading heading;
};

/* Begin with the content of an entry. */
void grep_print_begin(struct grep_printer *p, struct pieced *of,
		      const struct session *s, uint32_t entry);

/*
 * Print a line after those that come before it. -1 if a pattern fails there
 * (matcher_add_error()), else 0.
 */
int grep_print_line(struct grep_printer *p, const struct grep_line *line);

/* Print the name of a session, without an end of the line. */
void grep_print_session(const struct grep_printer *p, const struct pieced *d);

/* Append the path of the content. */
void grep_print_add_path(const struct grep_printer *p, struct buf *out);

/* Drop what is known of the session, which is left. */
void grep_print_leave(struct grep_printer *p);

/* After the last line of the batch. */
void grep_print_end(struct grep_printer *p);

/* Print what separates the hits of two batches. */
void grep_print_separator(const struct grep_printer *p);

#endif
