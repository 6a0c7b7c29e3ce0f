/*
 * Which entries sessfs grep searches: those that pass all of --agent, --here,
 * --since, --until, --role, --tool, and the entry or subtree of a PATH. Of
 * several values of an option one is enough.
 *
 * The same tool is called Bash by one agent and bash by another, so --tool and
 * --role ignore case, and --tool takes kinds (core/session/dialect/tools.h).
 *
 * Used by one thread for a piece.
 */
#ifndef SESSFS_GREP_FILTER_H
#define SESSFS_GREP_FILTER_H

#include "core/show/calls.h"
#include "mount/commands/grep/options.h"
#include "mount/operands/entries.h"
#include "mount/operands/pieces.h"

struct grep_filter {
	/* The caller sets these, and zeroes the others. */
	const struct grep_options *how;
	const struct piece *piece;

	bool has_chosen; /* the entry or the top of the subtree is there */

	/* private */
	bool is_begun;		    /* the members below are of the session */
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

/*
 * Has an entry this role, or this type if it has none? Does it call the tool,
 * or has it a result of it? Either may be NULL, and is not asked. 0 or -errno.
 */
int grep_filter_has(struct grep_filter *f, const struct session *s,
		    uint32_t entry, const char *role, const char *tool,
		    bool *yes);

#endif
