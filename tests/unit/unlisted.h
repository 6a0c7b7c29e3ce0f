/*
 * Texts that sessfs adds to a content, but that no list of a dialect's has
 * (core/session/dialect/outside.h): a search would pass over their entries.
 * Unit tests and the fuzz targets ask for each content that they see.
 */
#ifndef SESSFS_UNLISTED_H
#define SESSFS_UNLISTED_H

#include <ctype.h>
#include <string.h>

#include "core/session/dialect.h"
#include "mount/commands/grep/skip.h"

/* The next run of letters of a text, taken off; empty: there is none. */
static inline struct span unlisted_next_run(struct span *rest)
{
	struct span run = { rest->p, 0 };
	const char *end = rest->p + rest->n;
	const char *p = rest->p;
	while (p < end && !isalpha((unsigned char)*p) && *p != '_')
		p++;
	run.p = p;
	while (p < end && (isalpha((unsigned char)*p) || *p == '_'))
		p++;
	run.n = (size_t)(p - run.p);
	*rest = (struct span){ p, (size_t)(end - p) };
	return run;
}

/* Would a search for the run look at the line, if this is the only dialect? */
static inline bool unlisted_is_found(const struct dialect *d, struct span line,
				     struct span run)
{
	const struct pattern_texts a = { .list = &run, .n = 1, .fixed = true };
	const struct dialect_registry only = { .rows = &d, .n = 1 };
	struct skip *s = NULL;
	bool found =
		skip_new(&s, &a, &only) < 0 || !s || skip_may_match(s, line);
	skip_free(s);
	return found;
}

/* The first such run of an entry's content; empty: it has none. */
static inline struct span unlisted_run(const struct dialect *d,
				       struct span line, struct span content)
{
	struct span run = unlisted_next_run(&content);
	while (run.n > 0 && (memmem(line.p, line.n, run.p, run.n) ||
			     unlisted_is_found(d, line, run)))
		run = unlisted_next_run(&content);
	return run;
}

#endif
