/*
 * Splitting a stream of bytes into lines, each a JSON object.
 *
 * The bytes arrive in pieces of any size. A line ends at its newline, or as
 * soon as its object is closed: only white space can follow, so the newline
 * need not arrive. Blank lines are skipped. The beginning of a line is kept
 * until the rest arrives.
 *
 * A line that the sink refuses is dropped, so that others can follow. The
 * writer may then send the tail of that line again: the kernel splits a large
 * write(2) into several requests, and after one that was short the program
 * resumes where that ended. The tail is no line of its own, so it is refused
 * with the same errno, as often as it arrives. The same holds for the rest of a
 * line that is longer than LINE_SPLITTER_MAX.
 *
 * Zeroed, a splitter is at the start of a line. Not thread-safe.
 */
#ifndef SESSFS_LINE_SPLITTER_H
#define SESSFS_LINE_SPLITTER_H

#include <stdbool.h>

#include "core/base/buf.h"
#include "core/json/nesting.h"

/* The longest line, in bytes; pictures make the long ones. */
#define LINE_SPLITTER_MAX ((size_t)256 << 20)

struct line_splitter {
	struct buf line; /* the beginning of a line */
	struct nesting nesting;
	struct buf refused; /* the tail of the line refused last, or empty */
	int refused_err;
	bool too_long; /* discard everything up to the next newline */
};

/* Gets each line, with its newline if it has one. 0 or -errno. */
struct line_sink {
	int (*add)(void *data, struct span line);
	void *data;
};

void line_splitter_free(struct line_splitter *s);

/* Is it at the start of a line, with nothing to remember? */
bool line_splitter_is_idle(const struct line_splitter *s);

/* How many bytes of memory it holds. */
size_t line_splitter_size(const struct line_splitter *s);

/*
 * Feed bytes. *consumed is how many were accepted; the rest was not. Stops at
 * the first line that fails, with the sink's errno: -EINVAL and -ELOOP refuse
 * the line, after any other errno the same bytes may be fed again. -EFBIG: a
 * line is too long. -ENOBUFS: the beginning of a line would have to be kept,
 * but `may_keep` is false. -ENOMEM.
 */
int line_splitter_feed(struct line_splitter *s, struct span data, bool may_keep,
		       const struct line_sink *sink, size_t *consumed);

#endif
