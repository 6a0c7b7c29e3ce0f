/*
 * How wide text is on a terminal: East Asian wide characters take two columns,
 * combining marks none. The C library's wcwidth() knows, in its UTF-8 locale,
 * which is loaded once per struct.
 */
#ifndef SESSFS_COLUMNS_H
#define SESSFS_COLUMNS_H

#include <locale.h>

#include "core/base/buf.h"

struct columns {
	locale_t utf8; /* 0 if there is none: then every character takes one */
	locale_t before;
};

/* Use and restore the calling thread's locale. */
void columns_begin(struct columns *c);
void columns_end(struct columns *c);

/* The columns of a well-formed UTF-8 text without control characters. */
size_t columns_of(const struct columns *c, struct span text);

/* The longest start of it that fits, whole characters and their marks. */
struct span columns_fit(const struct columns *c, struct span text,
			size_t columns);

#endif
