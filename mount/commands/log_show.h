/*
 * What `sessfs log` prints of a session and its entries, for people: without
 * escape sequences and control characters.
 */
#ifndef SESSFS_LOG_SHOW_H
#define SESSFS_LOG_SHOW_H

#include "core/session/session.h"
#include "core/session/short_ids.h"
#include "mount/operands/entries.h"

struct log_show {
	const struct session *s; /* entered */
	bool colors;
	bool oneline;
	size_t columns; /* of a terminal, for `oneline`; 0: lines are whole */
	bool follows;	/* HEAD is the newest entry, and not marked */
	bool said;	/* leave out what nobody said or did */
	struct short_ids ids;
	/* Of the first entry the lines around this one are shown; 0: its first.
	 */
	unsigned at;
	bool unwritten; /* an error is that of writing to stdout */
	/* Show what was done with a file in place of contents; or NULL. */
	const struct touched_path *file;
};

/* Append a dim line, such as where a branch goes on. */
void log_show_dim(const struct log_show *l, struct span text, struct buf *out);

/* Entries, of which each is next to the one before it, and how many of them are
 * shown as they are although they could be in a run. */
struct log_list {
	uint32_t *list;
	size_t n;
	bool oldest_first;
	size_t unfolded;
};

/* Write to stdout what was made, and clear it: 0 or -errno. */
int log_show_write(struct log_show *l, struct buf *out);

/*
 * Print these, with the session before the first. *shown is how many rows have
 * been printed: no more than `most`. 0 or -errno.
 */
int log_show_list(struct log_show *l, const struct log_list *e, unsigned most,
		  unsigned *shown);

/*
 * Append what the calls of an entry have done with the files that l->file
 * names: a line for each touch, and what the call has put in place of what.
 * `json` is the entry's line. 0 or -errno.
 */
int log_diff_add(const struct log_show *l, uint32_t entry, struct json json,
		 struct buf *out);

/*
 * `sessfs log -f`: print the last `most` entries of the list, oldest first, and
 * then those that are appended, in the order in which they are. One that does
 * not go on from the one before it follows a dim line that says from which it
 * does. The session is entered on return as well. Ends when its file is
 * removed, or nobody reads what is printed: 0 then. Else -errno.
 */
int log_follow(struct log_show *l, struct session *s, struct log_list *e,
	       unsigned most);

#endif
