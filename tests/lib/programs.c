/*
 * One program of many tests: linking each with the library takes longer than
 * running most of them. Each test is a file with a main(), which the Makefile
 * calls main_of_NAME; the tests' names are in PROGRAMS, as PROGRAM(NAME). The
 * test that runs is the one that the program is called by: each has a link to
 * it.
 */
#include <stdio.h>
#include <string.h>

#include "core/base/columns.h"

#include "core/base/columns.h"

#define PROGRAM(name) int main_of_##name(void);
PROGRAMS
#undef PROGRAM

static const struct {
	const char *name;
	int (*run)(void);
} programs[] = {
#define PROGRAM(name) { #name, main_of_##name },
	PROGRAMS
#undef PROGRAM
};

int main(int argc, char **argv)
{
	columns_set_locale();
	columns_set_locale();
	const char *slash = argc > 0 ? strrchr(argv[0], '/') : NULL;
	const char *name = slash ? slash + 1 : argc > 0 ? argv[0] : "";
	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++)
		if (strcmp(programs[i].name, name) == 0)
			return programs[i].run();
	fprintf(stderr, "%s: there is no such test\n", name);
	return 2;
}
