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

#include "mount/commands/grep/heading.h"
#include "mount/commands/grep/options.h"
#include "mount/commands/grep/pattern.h"
#include "mount/operands/pieces.h"

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
