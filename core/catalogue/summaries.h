/*
 * A table of the summaries of many sessions, for sessions.txt and --list. The
 * owner of a table
 *
 * - adds a row for each file, with the summary from an earlier note, if there
 *   is one (summary_unpack());
 * - calls summaries_make() for the other rows, with a function that opens or
 *   enters a session and calls summaries_take();
 * - keeps the notes of the rows that were made;
 * - calls summaries_sort(), and then summaries_add_lines().
 *
 * Errors are negative errno values.
 */
#ifndef SESSFS_SUMMARIES_H
#define SESSFS_SUMMARIES_H

#include "core/file/version.h"
#include "core/catalogue/summary.h"

struct summaries_row {
	void *owned;	    /* the owner's */
	const char *path;   /* the owner's: of the file, absolute */
	const char *shown;  /* the owner's: its path in the line */
	bool is_known;	    /* from a note: it need not be made */
	bool is_listed;	    /* it has a line; set by summaries_take(), too */
	int err;	    /* of making it */
	const char *reason; /* for people: why that failed; or NULL */
	struct summary summary;
	/*
	 * What to keep if it was made, and of which version of the file:
	 * VERSION_UNKNOWN if it may not be kept. A maker that fails may set
	 * `of`, for files that are no sessions.
	 */
	struct buf note;
	struct version of;
};

struct summaries {
	/* Optional: the files of names are added before they are read. */
	struct versions *names;
	struct summaries_row *rows;
	size_t n;
	size_t cap;
};

/* Add a row. Takes over its summary, even on failure. 0 or -ENOMEM. */
int summaries_add(struct summaries *t, struct summaries_row *row);

/* Make row->summary by summaries_take(), or set row->err. In any thread. */
typedef void summaries_maker(void *data, struct summaries_row *row);

/*
 * Make the summaries of all rows that are not known, on all processors. Several
 * threads together may need more descriptors than there are: those rows are
 * tried again by one alone. A row whose summary can't be made has no line.
 * Returns 0, or an error of a row that is for lack of memory or descriptors.
 */
int summaries_make(struct summaries *t, summaries_maker *make, void *data);

/*
 * For the maker: make the summary and the note of a session that is entered.
 * `before` is from before it was read (version_settled()). 0, -ENOENT if the
 * file was deleted, or -ENOMEM.
 */
int summaries_take(struct summaries_row *row, const struct session *s,
		   struct timespec before);

/*
 * Sort the rows as lines are, families together (core/catalogue/families.h),
 * after a name that an agent keeps elsewhere (summary_rename()). 0 or -ENOMEM.
 */
int summaries_sort(struct summaries *t,
		   const struct dialect_registry *dialects);

/* Append the lines of the sorted rows that are listed. 0 or -ENOMEM. */
int summaries_add_lines(const struct summaries *t, struct buf *out);

void summaries_free(struct summaries *t);

#endif
