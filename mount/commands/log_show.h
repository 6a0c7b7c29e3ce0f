/*
 * What `sessfs log` prints of a session and its entries, for people: without
 * escape sequences and control characters.
 */
#ifndef SESSFS_LOG_SHOW_H
#define SESSFS_LOG_SHOW_H

#include "core/session/session.h"
#include "core/session/short_ids.h"
#include "mount/operands/touched.h"

struct log_show {
	const struct session *s; /* entered */
	bool colors;
	bool oneline;
	size_t columns; /* of a terminal, for `oneline`; 0: lines are whole */
	bool said;	/* leave out what nobody said or did */
	struct short_ids ids;
	/* Show what was done with a file in place of contents; or NULL. */
	const struct touched_path *file;
};

/* Append a line that says which session it is. */
int log_show_session(const struct log_show *l, struct buf *out);

/*
 * How many of these n entries, each of which is next to the one before it, are
 * a run of notes at the start (core/show/note_runs.h)? 0 or 1: none is.
 */
int log_show_find_run(const struct log_show *l, const uint32_t *list, size_t n,
		      size_t *run);

/* Append the row of a run of so many notes, up to the last. 0 or -errno. */
int log_show_run(const struct log_show *l, uint32_t last, size_t n,
		 struct buf *out);

/* Append an entry; nothing if it is left out. 0 or -errno. */
int log_show_entry(const struct log_show *l, uint32_t entry, struct buf *out);

#endif
