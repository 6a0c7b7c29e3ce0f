/*
 * What is wrong with single lines of a session file, by number.
 *
 * A bad line costs that line alone (DESIGN.md, rule 4); it is only noted. Line
 * numbers of a kind are kept up to a limit, and counted beyond.
 */
#ifndef SESSFS_PROBLEMS_H
#define SESSFS_PROBLEMS_H

#include <stdint.h>

#include "core/base/buf.h"

enum problem {
	PROBLEM_JSON,	   /* no JSON */
	PROBLEM_NO_ENTRY,  /* JSON, but no object with an id */
	PROBLEM_HEADER,	   /* another header */
	PROBLEM_DUPLICATE, /* an id said again */
	PROBLEM_TOO_LONG,  /* more than the index can hold */
	PROBLEM_ORPHAN,	   /* the parent is missing */
	PROBLEM_CYCLE,	   /* the parent is a descendant */
	PROBLEM_TORN,	   /* the last line has no end yet */
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

/* "key: N (lines 3, 5-7)", a line for each kind that there is. */
void problems_add(const struct problems *p, struct buf *out);

/*
 * "FILE:LINE: what", in the order of lines; "FILE: N more lines: what" for
 * those of a kind that were only counted.
 */
void problems_add_lines(const struct problems *p, const char *file,
			struct buf *out);

#endif
