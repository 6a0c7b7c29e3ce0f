/*
 * The width of text on a terminal: an East Asian wide character takes two
 * columns, a combining mark none. By wcwidth(3) in the locale C.UTF-8.
 */
#ifndef SESSFS_COLUMNS_H
#define SESSFS_COLUMNS_H

#include "core/base/buf.h"

/*
 * Make C.UTF-8 the locale of the process, for characters only. For main(),
 * before there are threads. Without it each character takes one column.
 */
void columns_set_locale(void);

/* The columns of well-formed UTF-8 without control characters. */
size_t columns_of(struct span text);

/* The longest prefix of such a text that takes at most so many columns. */
struct span columns_fit(struct span text, size_t columns);

/* Append such a text, cut to so many columns, with "…" if it was longer. */
void columns_add_cut(struct buf *out, struct span text, size_t columns);

#endif
