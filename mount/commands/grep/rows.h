/*
 * Hits as rows to be chosen from: columns, each of which ends with a NUL.
 */
#ifndef SESSFS_GREP_ROWS_H
#define SESSFS_GREP_ROWS_H

#include "core/base/span.h"

enum grep_column {
	ROW_MOUNT,  /* the session was named as a mounted one; else empty */
	ROW_FILE,   /* the session's */
	ROW_SHOWN,  /* its name, as printed, with a slash unless it is empty */
	ROW_ENTRY,  /* the name of its folder in by-id/ */
	ROW_WHEN,   /* local time */
	ROW_ROLE,   /* or type */
	ROW_TIME,   /* in UTC */
	ROW_PARENT, /* the session that its own was forked off */
	ROW_LINE,   /* of its content */
	ROW_TEXT,
	ROW_COLUMNS
};

struct grep_row {
	const char *column[ROW_COLUMNS];
};

/* Step over a row, which is complete; false at the end. */
bool grep_row_next(struct span *rest, struct grep_row *row);

#endif
