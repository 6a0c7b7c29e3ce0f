/*
 * The brackets of JSON text that are not inside strings, one after another, and
 * how deep they nest. The text may be cut anywhere, and go on later; it need
 * not be JSON.
 */
#ifndef SESSFS_NESTING_H
#define SESSFS_NESTING_H

#include "core/json/scan.h"

/* Zeroed, it is before the first byte. */
struct nesting {
	size_t depth; /* of open brackets; a closing one too many is ignored */
	/* private */
	bool in_string;
	bool escaped;
};

/*
 * From p go past the next bracket and count it: what follows it, or NULL if
 * there is none before `end`. Then the rest of the text may be scanned later.
 */
static inline const char *nesting_next(struct nesting *n, const char *p,
				       const char *end)
{
	while (p < end) {
		if (n->in_string) {
			p = scan_string_part(p, end, &n->in_string,
					     &n->escaped);
			continue;
		}
		char c = *p++;
		if (c == '"') {
			n->in_string = true;
		} else if (c == '{' || c == '[') {
			n->depth++;
			return p;
		} else if ((c == '}' || c == ']') && n->depth > 0) {
			n->depth--;
			return p;
		}
	}
	return NULL;
}

#endif
