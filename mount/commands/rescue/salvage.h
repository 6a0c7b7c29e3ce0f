/*
 * Salvaging the lines of a damaged session file, for `sessfs rescue`.
 *
 * The result is the text of a file of which each line is an object: a line that
 * is one keeps its bytes. From a line that is not JSON, each whole object is
 * taken that could be a line of the dialect: one after a block of NUL bytes or
 * after a torn line, and several without a newline between them. Control
 * characters in strings are escaped, if a line has no other fault. Only one
 * header is kept, and it comes first; if there is none, the dialect makes one.
 *
 * Each departure from the file is reported.
 */
#ifndef SESSFS_SALVAGE_H
#define SESSFS_SALVAGE_H

#include "core/session/dialect.h"

/* What is printed of the file: a line for each remark about a line of it. */
struct rescue_report {
	struct span file; /* its name, on one line */
	struct buf text;
	uint32_t changes; /* remarks about lines that do not stay as they are */
};

/* Begin a remark about a line that stays as it is, or about a change. */
void rescue_remark(struct rescue_report *r, uint32_t line);
void rescue_change(struct rescue_report *r, uint32_t line);

struct salvage {
	struct buf text;
	uint32_t *lines; /* for each line of the text: that of the file, or 0 */
	uint32_t n_lines;
	uint32_t recovered; /* objects in lines that are not JSON */
	uint32_t values;    /* in the file, without a header that was made */

	/* private */
	struct rescue_report *report;
	const struct dialect_rescue *rules;
	struct buf body;
	struct buf start; /* the line before the header */
	struct buf header;
	struct buf facts[HEADER_FACTS]; /* JSON */
	uint32_t with_id;		/* objects, without headers */
	uint32_t without_id;
	uint32_t header_line;
	uint32_t start_line;
	uint32_t line;
	size_t cap_lines;
};

/*
 * Read the file as one of this dialect, which has rescue rules, and begin the
 * report anew. `id` is the new session's. 0, or -errno; the caller calls
 * salvage_free() in either case.
 */
int salvage_file(struct salvage *v, struct rescue_report *report,
		 const struct log *log, const struct dialect *d,
		 struct span id);
void salvage_free(struct salvage *v);

#endif
