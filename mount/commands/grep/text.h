/*
 * The contents of many entries as one text, which a single grep can search.
 *
 * Only contents that have a line are in it. Each begins with a line of its own,
 * so the number of a line in the text determines the content and the line
 * there: see grep_text_mark().
 *
 * Used by one thread.
 */
#ifndef SESSFS_GREP_TEXT_H
#define SESSFS_GREP_TEXT_H

#include "mount/commands/grep/skip.h"
#include "mount/operands/pieces.h"

/* Where a content is. */
struct grep_mark {
	uint64_t first; /* its first line in the text, from 1 */
	uint64_t name;	/* where its entry's name begins in names */
	uint32_t name_size;
	struct pieced *of; /* its session */
	bool is_rest;	   /* nobody said it, and only what was said is shown */
};

/* The caller zeroes it. */
struct grep_text {
	struct buf text;
	struct buf names; /* file names of the entries */
	struct grep_mark *marks;
	size_t n;
	size_t cap;
	uint64_t lines;	 /* in text */
	bool has_chosen; /* the entry of --entry or --subtree was there */
};

/*
 * Append the contents of a batch whose entries pass the filters of the options,
 * without those that `skip`, which may be NULL, passes over.
 * A session that can't be read is reported, and is in the text up to there.
 */
void grep_text_add(struct grep_text *t, struct pieces *p, const struct batch *b,
		   const struct skip *skip);
void grep_text_free(struct grep_text *t);

/*
 * The content that has a line of the text, which is not before that of `from`;
 * NULL: not before the first. There must be a content.
 */
const struct grep_mark *grep_text_mark(const struct grep_text *t,
				       const struct grep_mark *from,
				       uint64_t line);

/* The file name of a content's entry. */
struct span grep_text_name(const struct grep_text *t,
			   const struct grep_mark *m);

#endif
