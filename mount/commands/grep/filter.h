/*
 * Which entries sessfs grep searches: those that pass all of --since, --until,
 * --role, --tool and --file (mount/operands/entries.h), and the entry or
 * subtree of a PATH.
 *
 * Used by one thread for a piece.
 */
#ifndef SESSFS_GREP_FILTER_H
#define SESSFS_GREP_FILTER_H

#include "mount/commands/grep/options.h"
#include "mount/operands/entries.h"
#include "mount/operands/pieces.h"

struct grep_filter {
	/* The caller sets these, and zeroes the others. */
	const struct grep_options *how;
	const struct piece *piece;

	bool is_begun;	 /* an entry was asked for */
	bool has_chosen; /* the entry or the top of the subtree is there */

	/* private: the members below are of the session */
	uint32_t entry;		    /* the only one; INDEX_NONE: none */
	const struct bits *subtree; /* the entries of it */
	struct bits own;	    /* the same, unless they are shared */
	struct entry_filter entries;
};

/*
 * Does an entry of the piece's session, which is entered, pass? 0 or -errno.
 */
int grep_filter_entry(struct grep_filter *f, const struct session *s,
		      uint32_t entry, bool *passes);

/* After the last entry, or before all of them are visited again. */
void grep_filter_end(struct grep_filter *f);

#endif
