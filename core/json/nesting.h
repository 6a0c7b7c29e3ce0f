/*
 * The brackets of JSON text that are outside of strings, and their depth. The
 * text may arrive in pieces that end anywhere, and need not be JSON.
 */
#ifndef SESSFS_NESTING_H
#define SESSFS_NESTING_H

#include "core/json/scan.h"

/* Zeroed at the start of the text. */
struct nesting {
	size_t depth; /* unmatched closing brackets are ignored */
	/* private */
	bool in_string;
	bool escaped;
};

/*
 * Find the next bracket from p on, and update the depth. Returns the byte after
 * the bracket. Returns NULL if there is none before `end`; the next piece of
 * the text may follow then.
 */
static inline const char *nesting_next(struct nesting *n, const char *p,
				       const char *end)
{
	if (n->in_string)
		p = scan_string_part(p, end, &n->in_string, &n->escaped);
	while (p < end) {
		switch (*p++) {
		case '"':
			p = scan_string_part(p, end, &n->in_string,
					     &n->escaped);
			break;
		case '{':
		case '[':
			n->depth++;
			return p;
		case '}':
		case ']':
			if (n->depth > 0) {
				n->depth--;
				return p;
			}
			break;
		default:
			break;
		}
	}
	return NULL;
}

/*
 * From the first byte of an object or array to the byte after it; NULL if it
 * does not end before `end`.
 */
static inline const char *nesting_past_container(const char *p, const char *end)
{
	struct nesting n = { 0 };
	do
		p = nesting_next(&n, p, end);
	while (p && n.depth > 0);
	return p;
}

#endif
