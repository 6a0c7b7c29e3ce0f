/*
 * Looking for any of several short texts at once, at the pace of memory.
 *
 * Each needle has a pair: two bytes of it, one after the other, which are rare
 * in sessions. A vector of a text is compared with the pairs of all needles by
 * looking up the halves of its bytes in tables of 16, one instruction each
 * (known as Teddy, of Hyperscan). Only where a pair is, its needle is compared.
 *
 * Threads may share them once all are added.
 */
#ifndef SESSFS_NEEDLES_H
#define SESSFS_NEEDLES_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/span.h"

/* A text that is looked for has at least two bytes, and no more than this. */
#define NEEDLE_MOST ((size_t)64)

/* Eight pairs are told apart; more share these. */
#define NEEDLE_GROUPS 8

/* For a byte the groups, as bits, that have it at one of their two places. */
struct needle_bytes {
	uint8_t of_byte[256];
	/* For each half of a byte; together they may have more groups. */
	uint8_t of_low[16];
	uint8_t of_high[16];
};

struct needle {
	struct span text; /* borrowed */
	bool any_case;	  /* of letters of ASCII */
	size_t pair;	  /* where that is in the text */
	/* Optional: `after` bytes follow the text; does it count before them?
	 */
	bool (*counts)(const char *bytes);
	size_t after;
};

/* Zeroed: none. */
struct needles {
	struct needle *list;
	size_t n;
	size_t cap;
	struct needle_bytes first;
	struct needle_bytes second;
};

/* Add a needle, of which the caller sets all but the pair: 0 or -ENOMEM. */
int needles_add(struct needles *s, struct needle needle);
void needles_free(struct needles *s);

/* A place in the first of them in a text, where its pair is; NULL: none. */
const char *needles_find(const struct needles *s, struct span text);

#endif
