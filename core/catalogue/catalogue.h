/*
 * The catalogue: which sessions there are below some sources, and a line for
 * each (summary.h). `sessfs list`, `open`, completion, and of a mount
 * sessions.txt, by-project/ and by-day/ are made of it.
 *
 *     struct catalogue c = { .dialects = &dialect_registry, ... };
 *     catalogue_add(&c, path, shown);
 *     int err = catalogue_refresh(&c);
 *     ... c.lines ...
 *     catalogue_free(&c);
 *
 * A refresh looks at all files below the sources (find.c) and reads those that
 * have changed since the last one, on all processors. What was found out about
 * a file is kept on the disk for all processes of the user (store.h); with a
 * forced dialect it is not.
 *
 * Newest means by the time of the newest entry that is no bookkeeping, here and
 * wherever sessions are sorted.
 *
 * Used by one thread at a time. Errors are negative errno values.
 */
#ifndef SESSFS_CATALOGUE_H
#define SESSFS_CATALOGUE_H

#include "core/catalogue/summary.h"
#include "core/places/folder.h"

struct folder_index;

/* A file below a source, and what is known of it. */
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

struct catalogue_source {
	char *path; /* absolute, without symlinks: of a folder, or a file */
	char *shown;
	struct compressed compressed; /* what is not read below it */
};

/* What is done with a session that is entered. 0 or -errno. */
typedef int catalogue_take(void *arg, struct session *s);

struct catalogue {
	/* The owner sets these; all but the dialects may be zero. */
	const struct dialect_registry *dialects;
	const struct dialect *forced;
	struct gate *gate;
	bool as_mounted; /* rows are shown by their paths in a mount */
	/* A file that is below two sources has a row for each; else one. */
	bool keeps_repeated;
	bool with_runs; /* which have no lines otherwise */
	/*
	 * Changes are written to the store only so often, in ms, and when it is
	 * freed: a session that is being written changes each second. A large
	 * store is not written for a few sessions that are read as fast.
	 */
	int64_t store_ms;
	void *data; /* of the functions, each of which is optional */
	/* Should the file have a line? One that should not is not read. */
	bool (*wants)(void *data, const struct session_row *row);
	/* Is a file of which nothing is known worth reading? In any thread. */
	bool (*reads)(void *data, const struct session_row *row);
	/*
	 * Enter a session that is in memory anyway, and call take(arg, session)
	 * with it: true with *err, which is what that returned, or why it could
	 * not be entered; false: it is not in memory. In any thread.
	 */
	bool (*visit)(void *data, const char *path, catalogue_take *take,
		      void *arg, int *err);
	/* A folder was opened, and is about to be read. In any thread. */
	void (*enters)(void *data, int folder);
	/*
	 * A source, a folder or a session could not be read: row->err. So it is
	 * with -EPROTO of a file that is no session.
	 */
	void (*unread)(void *data, const struct session_row *row);

	struct catalogue_source *sources;
	size_t n_sources;
	struct session_rows rows; /* all files, by path and source */
	/*
	 * Those that are listed, as lines are: the newest first, then by
	 * `shown`, and what goes on from another one below that (families.c).
	 */
	struct session_rows lines;
	/* Goes up when a line is another, has come or has gone. */
	uint64_t changes;
	/* The files of names that the lines have names of (names.h). */
	struct versions names_read;

	/* private */
	size_t cap_sources;
	struct folder_index *names;
	struct session_row **numbered; /* by number */
	uint32_t numbers;
	size_t numbers_cap;
	int64_t stored;	   /* when it was stored last, in ms */
	size_t store_size; /* the bytes of the store, when it was read last */
	uint64_t sum;	   /* of the lines */
};

/* Add a source. 0 or -ENOMEM. */
int catalogue_add(struct catalogue *c, const char *path, const char *shown);

/* Make the rows current. 0, -ENOMEM or an error of fault_is_shortage(). */
int catalogue_refresh(struct catalogue *c);

/* The row with a number, or NULL. */
const struct session_row *catalogue_row(const struct catalogue *c,
					uint32_t number);

void catalogue_free(struct catalogue *c);

#endif
