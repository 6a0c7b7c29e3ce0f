/*
 * Salvaging the lines of a damaged session file, for `sessfs --rescue`.
 *
 * The result is the text of a file of which each line is an object: a line that
 * is one keeps its bytes. From a line that is not JSON, each whole object is
 * taken that could be a line of the dialect: one after a block of NUL bytes or
 * after a torn line, and several without a newline between them. Control
 * characters in strings are escaped, if a line has no other fault. Only one
 * header is kept, and it comes first; if there is none, the dialect makes one.
 *
 * Each departure from the file is a note.
 */
#ifndef SESSFS_SALVAGE_H
#define SESSFS_SALVAGE_H

#include "core/session/dialect.h"

struct salvage_note {
	uint32_t line;	    /* of the file */
	uint32_t recovered; /* objects in a line that is not JSON */
	uint64_t lost;	    /* bytes of it that are in none of them */
	uint64_t nuls;	    /* of these are NUL */
	const char *what;   /* another note, or NULL */
};

struct salvage {
	struct buf text;
	uint32_t *lines; /* for each line of the text: that of the file, or 0 */
	uint32_t n_lines;
	struct salvage_note *notes;
	uint32_t n_notes;
	uint32_t recovered; /* objects in lines that are not JSON */
	uint32_t values;    /* in the file, without a header that was made */

	/* private */
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
	size_t cap_notes;
};

/*
 * Read the file as one of this dialect, which has rescue rules. `id` is the new
 * session's. 0, or -errno; the caller calls salvage_free() in either case.
 */
int salvage_file(struct salvage *v, const struct log *log,
		 const struct dialect *d, struct span id);
void salvage_free(struct salvage *v);

#endif
