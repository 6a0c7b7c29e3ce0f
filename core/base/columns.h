/*
 * The width of text on a terminal: an East Asian wide character takes two
 * columns, a combining mark none. By wcwidth(3) in the locale C.UTF-8.
 */
#ifndef SESSFS_COLUMNS_H
#define SESSFS_COLUMNS_H

#include <locale.h>
#include <stdbool.h>

#include "core/base/buf.h"

struct columns {
	bool utf8;	 /* false without it: each character takes one */
	locale_t own;	 /* private; 0 if the process has that locale */
	locale_t before; /* private; the thread's */
};

/*
 * Make C.UTF-8 the locale of the process, for characters only. For main(),
 * before there are threads. Without it each columns_begin() loads the locale,
 * which takes as long as making several lines.
 */
void columns_set_locale(void);

/* Switch the calling thread's locale unless it is that one, and restore it. */
void columns_begin(struct columns *c);
void columns_end(struct columns *c);

/* The columns of well-formed UTF-8 without control characters. */
size_t columns_of(const struct columns *c, struct span text);

/* The longest prefix of such a text that takes at most so many columns. */
struct span columns_fit(const struct columns *c, struct span text,
			size_t columns);

/* Append such a text, cut to so many columns, with "…" if it was longer. */
void columns_add_cut(const struct columns *c, struct buf *out, struct span text,
		     size_t columns);

#endif
