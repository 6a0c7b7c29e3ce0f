/*
 * The lines that a grep prints, with -n and without file names.
 */
#ifndef SESSFS_GREP_HIT_H
#define SESSFS_GREP_HIT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/span.h"

struct grep_hit {
	uint64_t line;	  /* from 1 */
	bool selected;	  /* else it is context */
	struct span text; /* with its newline */
};

/*
 * Parse the next line, "N:TEXT" or "N-TEXT", and step over it. Returns false at
 * the end.
 */
bool grep_hit_next(struct span *rest, struct grep_hit *h);

/* Does the output have a selected line? */
bool grep_hit_any(struct span found);

#endif
