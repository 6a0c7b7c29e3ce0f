/*
 * The arguments of sessfs --grep after "--": those of grep.
 *
 * They are parsed as grep does, because some of them do not mean the same when
 * many contents are searched at once: contexts and counts end with a content.
 * -q and -l change what is printed in the end: -l prints sessions. Other
 * options that choose or print files are refused. The rest is passed on to the
 * grep that is started.
 */
#ifndef SESSFS_GREP_ARGS_H
#define SESSFS_GREP_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/*
 * Parse n words, of which the first is before the arguments, and which
 * getopt(3) sorts. Returns false after reporting an error. The caller calls
 * grep_args_free() in either case.
 */
bool grep_args_parse(struct grep_args *a, int n, char **args, bool color);
void grep_args_free(struct grep_args *a);

#endif
