/*
 * The problems of single lines of a session file, by line number.
 *
 * A bad line is noted and skipped; the other lines are read as if it were not
 * there. Each problem keeps PROBLEM_LINES line numbers and counts the rest.
 */
#ifndef SESSFS_PROBLEMS_H
#define SESSFS_PROBLEMS_H

#include <stdint.h>

#include "core/base/buf.h"

enum problem {
	PROBLEM_JSON,	   /* not JSON */
	PROBLEM_NO_ENTRY,  /* JSON, but no object with an id */
	PROBLEM_HEADER,	   /* another header */
	PROBLEM_DUPLICATE, /* an id that an earlier line has */
	PROBLEM_TOO_LONG,  /* more than the index can hold */
	PROBLEM_ORPHAN,	   /* the parent is missing */
	PROBLEM_BRIDGED,   /* the parent is missing; it hangs on another */
	PROBLEM_CYCLE,	   /* the parent is a descendant */
	PROBLEM_TORN,	   /* the last line is incomplete */
	PROBLEM_COUNT
};

#define PROBLEM_LINES 200

struct problems {
	struct {
		uint32_t n;
		uint32_t lines[PROBLEM_LINES];
	} of[PROBLEM_COUNT];
};

void problems_note(struct problems *p, enum problem kind, uint32_t line);

/* Append "key: N (lines 3, 5-7)" for each problem found, one a line. */
void problems_add(const struct problems *p, struct buf *out);

/*
 * Append "FILE:LINE: problem" in the order of lines, then "FILE: N more lines:
 * problem" where line numbers were not kept.
 */
void problems_add_lines(const struct problems *p, const char *file,
			struct buf *out);

#endif
