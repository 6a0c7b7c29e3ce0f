/*
 * Texts with values of a line in them, as agents write them in JavaScript's
 * templates: "Ran `{command}`". What a place between braces means is the
 * caller's.
 */
#ifndef SESSFS_KIT_TEMPLATE_H
#define SESSFS_KIT_TEMPLATE_H

#include "core/base/buf.h"

/*
 * Append what is before the next place, and go behind it. *place is what is
 * between its braces. False, with the rest appended, if there is none.
 */
static inline bool template_next(const char **p, struct buf *out,
				 struct span *place)
{
	size_t n = strcspn(*p, "{");
	buf_add(out, (struct span){ *p, n });
	*p += n;
	if (!**p)
		return false;
	*place = (struct span){ *p + 1, strcspn(*p + 1, "}") };
	*p = place->p + place->n + 1;
	return true;
}

#endif
