/*
 * Which entries sessfs --grep searches: those that pass all of --agent,
 * --entry, --subtree, --role and --tool that are given. The same tool is called
 * Bash by one agent and bash by another, so --tool and --role ignore case.
 *
 * Used by one thread, with the session entered.
 */
#ifndef SESSFS_GREP_FILTER_H
#define SESSFS_GREP_FILTER_H

#include "core/session/session.h"
#include "core/show/calls.h"
#include "mount/commands/commands.h"
#include "mount/commands/pieces.h"

struct grep_filter {
	const struct grep_options *how;
	bool passes_agent;
	bool has_chosen; /* the entries of --entry and --subtree are there */
	uint32_t entry;	 /* the only one; INDEX_NONE: none */
	const struct bits *subtree; /* the entries of --subtree */
	struct bits own;	    /* the same, unless they are shared */
	struct calls calls;	    /* with --tool: those that results answer */
};

/*
 * Begin with a session. 0 or -errno; grep_filter_end() follows in any case.
 * `shared` is that of a session that is split, whose subtree is found once; or
 * NULL.
 */
int grep_filter_begin(struct grep_filter *f, const struct grep_options *how,
		      const struct session *s, struct chosen *shared);
void grep_filter_end(struct grep_filter *f);

/* Does the entry pass? 0, with the answer, or -errno as of session_read(). */
int grep_filter_entry(struct grep_filter *f, const struct session *s,
		      uint32_t entry, bool *passes);

#endif
