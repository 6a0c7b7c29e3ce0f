/*
 * The lines of a content that a search selects, with those around them. Each
 * content is searched by itself: counts (-m) and context (-A, -B, -C) end with
 * it.
 *
 * Used by one thread for a batch.
 */
#ifndef SESSFS_GREP_SEEK_H
#define SESSFS_GREP_SEEK_H

#include "mount/commands/grep/print.h"
#include "mount/commands/grep/skip.h"

struct grep_seek {
	/* The caller sets these, and zeroes the others. */
	const struct skip *skip; /* NULL: nothing is passed over */
	struct grep_printer *to; /* has begun with the content */

	uint64_t selected; /* lines of the last content */
	uint64_t line;	   /* the last one that was looked at */
};

/*
 * Select lines, and print them; or only count them, up to `most`. -1 if a
 * pattern fails (matcher_add_error()), else 0.
 */
int grep_seek_print(struct grep_seek *k, struct span content);
int grep_seek_count(struct grep_seek *k, struct span content, uint64_t most);

#endif
