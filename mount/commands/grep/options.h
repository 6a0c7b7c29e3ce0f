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
	/* As the user gave them: those of every grep, */
	struct texts patterns;
	struct texts pattern_files;
	int fixed;
	int basic; /* is refused */
	int any_case;
	int word;
	int line;
	int invert;
	int only_matching;
	int quiet;
	int list;    /* the sessions with a hit */
	int without; /* those without */
	int count;   /* how many lines of a session are selected */
	const char *most_given;
	const char *before_given;
	const char *after_given;
	const char *around_given;
	int usual; /* what sessfs does anyway */
	/* and its own. */
	struct entry_options entries;
	struct select_options select;
	int said;
	int all;
	int plain;
	int heading;
	int no_heading;
	const char *color_when;
	int open;
	int resume;

	/* What follows from them. */
	bool color;
	uint64_t most; /* selected lines of a content */
	uint64_t before;
	uint64_t after;
	bool contexts;	     /* lines are printed in groups */
	bool tells;	     /* of sessions only whether, or how often */
	struct select_by by; /* its times are of entries */
	struct touched_path touched;
	bool only_said;	  /* the text of hits that nobody said is left out */
	bool counts_rest; /* and they are counted */
	bool table;	  /* rows for choosing (hits.h), not text */

	/* Of the PATH that is searched. */
	bool files;	     /* -l prints the names of files */
	bool shows_path;     /* headings have the path */
	const char *entry;   /* the only one that is searched */
	const char *subtree; /* only this and what is below it */
};

#endif
