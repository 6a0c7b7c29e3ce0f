/*
 * What completion offers for a word, printed as records for the shells
 * (complete.c). Candidates are whole words; the shell chooses those that begin
 * as the word does. Errors are ignored: then less is offered.
 */
#ifndef SESSFS_CANDIDATES_H
#define SESSFS_CANDIDATES_H

#include "core/base/span.h"
#include "mount/cli/options.h"

struct candidates {
	const char *word;   /* the typed one */
	const char *prefix; /* what stays of it before a value; or "" */
	const char *after;  /* the last word after the cursor, or NULL */
};

/*
 * Print a word with what it is for, up to an empty line; NULL: nothing. Its
 * lines are joined.
 */
void candidates_add(const struct candidates *c, const char *word,
		    const char *help);

void candidates_add_commands(const struct candidates *c);

/* The files that by-file/ has in the session of ENTRY. */
void candidates_add_touched(const struct candidates *c);

/* The options of -o that one of these has; words before a comma stay. */
void candidates_add_mount_options(const struct candidates *c, unsigned takers);

/*
 * What an operand or an option's value can be, by the name that usage has for
 * it, such as SESSION or ENTRY.
 */
void candidates_add_named(const struct candidates *c, struct span name,
			  bool is_value);

#endif
