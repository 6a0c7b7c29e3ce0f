/*
 * The width of text on a terminal: an East Asian wide character takes two
 * columns, a combining mark none. By wcwidth(3) in the locale C.UTF-8.
 */
#ifndef SESSFS_COLUMNS_H
#define SESSFS_COLUMNS_H

#include <locale.h>

#include "core/base/buf.h"

struct columns {
	locale_t utf8;	 /* 0 without that locale: each character takes one */
	locale_t before; /* the thread's */
};

/* Switch the calling thread's locale, and restore it. */
void columns_begin(struct columns *c);
void columns_end(struct columns *c);

/* The columns of well-formed UTF-8 without control characters. */
size_t columns_of(const struct columns *c, struct span text);

/* The longest prefix of such a text that takes at most so many columns. */
struct span columns_fit(const struct columns *c, struct span text,
			size_t columns);

#endif
