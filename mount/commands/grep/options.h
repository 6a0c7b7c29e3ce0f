/*
 * What is special to the command grep: its options, and what they make of a
 * search.
 */
#ifndef SESSFS_GREP_OPTIONS_H
#define SESSFS_GREP_OPTIONS_H

#include <stdint.h>

#include "mount/operands/entries.h"
#include "mount/operands/select.h"

struct grep_options {
	/* As the user gave them. */
	struct passed passed; /* options of grep */
	int list;
	struct entry_options entries;
	struct select_options select;
	int said;
	int all;
	int plain;
	int heading;
	int color;
	int open;
	int resume;
	const char *preview;
	int usual; /* what sessfs does anyway */

	/* What follows from them. */
	struct select_by by; /* its times are of entries */
	struct touched_path touched;
	bool only_said;	  /* the text of hits that nobody said is left out */
	bool counts_rest; /* and they are counted */
	bool table;	  /* rows for choosing, not text */

	/* Of the PATH that is searched. */
	bool files;	     /* -l prints the names of files */
	bool shows_path;     /* headings have the path */
	const char *entry;   /* the only one that is searched */
	const char *subtree; /* only this and what is below it */
};

#endif
