/*
 * Values of options. A NULL text leaves what is set, and another one is right
 * or reported in one line on stderr: false.
 */
#ifndef SESSFS_OPTION_VALUES_H
#define SESSFS_OPTION_VALUES_H

#include <stdbool.h>

/* A number from `least` to `most`. */
bool options_number(const char *option, const char *text, unsigned least,
		    unsigned most, unsigned *n);

/* The name of a dialect, or of one that is an agent's. */
struct dialect;
bool options_dialect(const char *name, const struct dialect **to);
bool options_agent(const char *name, const struct dialect **to);

#endif
