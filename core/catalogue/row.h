/*
 * A row of the catalogue: a file below a source, and what is known of it.
 */
#ifndef SESSFS_ROW_H
#define SESSFS_ROW_H

#include "core/catalogue/summary.h"
#include "core/file/version.h"

struct session_row {
	char *path;	/* absolute, without symlinks */
	char *shown;	/* in its line; may be `path` itself */
	size_t source;	/* in the order of catalogue_add() */
	bool is_source; /* the source is this file */
	bool is_run;	/* what a subagent wrote, beside its session (find.c) */
	struct version version; /* of the file that was found */
	/* As long as the file is there, and of no other row before or after. */
	uint32_t number;
	/* The line that it goes on from (families.c), or NULL. */
	const struct session_row *base;
	bool is_wanted; /* by the owner: others have no line */
	bool is_listed; /* it is a session, with the summary */
	struct summary summary;
	/* Why it has no summary: 0 or -errno, and the same for people or NULL.
	 */
	int err;
	const char *reason;
	/* private */
	bool is_known; /* the summary, or that there is none, is of `version` */
	bool is_unstored; /* what is known of version `of` is in no store yet */
	struct version of;
};

void row_free(struct session_row *row); /* NULL is allowed */

/* Is the file where the row says, and as it was when it was read? */
bool row_is_current(const struct session_row *row, const struct gate *g);

/* A list of rows, which it borrows. */
struct session_rows {
	struct session_row **list;
	size_t n;
	size_t cap;
};

#endif
