/*
 * What sessfs grep prints of hits: paths, line numbers, separators and
 * headings, in colors if they are wanted; or rows to be chosen from (rows.h).
 *
 * Used by one thread for a batch. An error is in *out (buf_error()).
 *
 * Batches are printed by several threads at once, and then written in order. A
 * session may go on in the next batch, where it gets no second heading. So the
 * output with headings passes through grep_print_join() before it is written.
 */
#ifndef SESSFS_GREP_PRINT_H
#define SESSFS_GREP_PRINT_H

#include "mount/commands/commands.h"
#include "mount/commands/grep/args.h"
#include "mount/commands/grep/child.h"
#include "mount/commands/grep/heading.h"
#include "mount/commands/grep/options.h"
#include "mount/commands/grep/text.h"

/* A line that a grep prints. */
struct grep_hit {
	uint64_t line;	  /* from 1 */
	bool selected;	  /* else it is context */
	struct span text; /* with its newline */
};

struct grep_printer {
	/* The caller sets these, and zeroes the others. */
	const struct grep_options *how;
	const struct grep_args *args;
	const struct grep_colors *colors;
	const struct grep_text *text; /* that was searched */
	struct buf *out;	      /* empty */

	uint64_t rest; /* lines of the rest (text.h), which are not printed */

	/* private */
	const struct grep_mark *mark; /* of the last hit */
	uint64_t last;		      /* its line; 0: there is none */
	struct grep_heading heading;
	struct buf row; /* with how->table: the columns of the content */
};

/*
 * Print a hit after those that come before it, given its line in the content
 * that the mark is of.
 */
void grep_print_hit(struct grep_printer *p, const struct grep_mark *mark,
		    const struct grep_hit *h);

/* Print the name of a session that has a hit, for -l, once. */
void grep_print_session(const struct grep_printer *p, struct pieced *d);

/* After the last hit. */
void grep_print_end(struct grep_printer *p);

/* Print what separates the hits of two batches. */
void grep_print_separator(const struct grep_printer *p);

/*
 * The text that is to be written of what was printed with headings, which must
 * not be empty. *session is the number of the session that the text before
 * ended with, 0 at first, and becomes that of this one.
 */
struct span grep_print_join(struct span printed, uint64_t *session);

#endif
