/*
 * Whether a mutation is on, for sources that tests/mutants/run has rewritten.
 *
 * The process has the mutant that $MUTANT numbers, or else the file beside the program,
 * PROGRAM.mutant: some tests start sessfs without an environment. If this is the path of
 * a folder, no mutant is on, and a folder SITE-TEST is made there for each site that is
 * reached. TEST is the number that bats gives the test, or 0 without an environment.
 */
#ifndef SESSFS_MUTANT_H
#define SESSFS_MUTANT_H

#include <stdbool.h>

enum { MUTANT_RECORD = -1, MUTANT_MAX = 10000 };

/* Set before main(), and not changed. */
extern int mutant_on;

void mutant_reached(int site);

static inline bool mutant_is(int site)
{
	if (mutant_on == MUTANT_RECORD)
		mutant_reached(site);
	return mutant_on == site;
}

#endif
