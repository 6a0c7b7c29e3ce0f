/*
 * The arguments of the greps that are started.
 *
 * What the user gave is interpreted here as far as it does not mean the same
 * when many contents are searched at once: contexts and counts end with a
 * content. -q and -l change what is printed in the end: -l prints sessions. The
 * rest is passed on.
 */
#ifndef SESSFS_GREP_ARGS_H
#define SESSFS_GREP_ARGS_H

#include <stdint.h>

#include "mount/cli/options.h"

struct grep_args {
	char **argv; /* of the grep to be started, up to a NULL */
	size_t n;
	size_t cap;
	bool contexts; /* lines are printed in groups */
	uint64_t before;
	uint64_t after;
	uint64_t most;	    /* selected lines of a content */
	bool only_matching; /* -o: contexts are not printed */
	bool quiet;
	bool list; /* -l: the sessions with a hit */
};

/* Where grep prints to. */
enum grep_output {
	GREP_PLAIN,
	GREP_COLORED,
	GREP_ROWS, /* to be chosen from: no contexts, counts, -o, -q and -l */
};

/*
 * Make them of the options that are passed on.
 * `pattern` is given besides, unless it is NULL. Returns false after reporting
 * an error. The caller calls grep_args_free() in either case.
 */
bool grep_args_make(struct grep_args *a, const struct passed *passed,
		    const char *pattern, enum grep_output output);

/* Is a pattern among the options? */
bool grep_args_have_pattern(const struct passed *passed);

void grep_args_free(struct grep_args *a);

#endif
