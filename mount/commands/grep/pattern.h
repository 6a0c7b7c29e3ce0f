/*
 * The patterns of a search: Perl's, as PCRE2 has them, or fixed strings.
 *
 * A pattern is matched with one line, without its newline, as grep -P does. A
 * line is UTF-8: letters, words and cases are those of Unicode, and bytes that
 * are no UTF-8 match nothing. Several patterns are tried in their order; of
 * several matches the leftmost counts, and of these that of the first pattern.
 * Where a compiler is not allowed to make machine code (JIT), patterns are
 * interpreted, with the same result.
 *
 * A match that takes too many steps or too much memory fails: it might never
 * end. Then the search is over.
 */
#ifndef SESSFS_GREP_PATTERN_H
#define SESSFS_GREP_PATTERN_H

#include "core/base/buf.h"

/* What is looked for, as it was given. */
struct pattern_texts {
	struct span *list;
	size_t n;
	size_t cap;
	bool fixed;
	bool any_case;
	bool word; /* no letter, digit or "_" is beside a match */
	bool line; /* a match is a whole line */
};

/*
 * Add the lines of a text: one more than it has line feeds. Or those of a file,
 * or of standard input ("-"), which is read into `kept`. They are borrowed. 0
 * or -errno.
 */
int pattern_texts_add(struct pattern_texts *t, struct span text);
int pattern_texts_add_file(struct pattern_texts *t, const char *name,
			   struct buf *kept);
void pattern_texts_free(struct pattern_texts *t);

/* Compiled. Threads may share them. */
struct patterns;

/*
 * Compile them. *p is NULL if one is wrong, which is reported with its text and
 * the place in it, or if there is no memory. They borrow the texts.
 */
int patterns_new(struct patterns **p, const struct pattern_texts *t);
void patterns_free(struct patterns *p);

/* What one thread needs to match them; NULL: no memory. */
struct matcher *matcher_new(const struct patterns *p);
void matcher_free(struct matcher *m);

struct match {
	size_t from;
	size_t to;
};

/*
 * Find the first match in a line that begins at an offset or later, which is
 * between two characters. *found may be NULL: any will do. Returns 1, 0 if
 * there is none, or -1 if it fails: matcher_add_error() appends why.
 */
int matcher_find(struct matcher *m, struct span line, size_t at,
		 struct match *found);
void matcher_add_error(const struct matcher *m, struct buf *out);

#endif
