/*
 * Numbers by numbers, of which many sets share what they have in common: a tree
 * whose nodes are never changed once another set may have them.
 *
 * A zeroed set is empty. Sets are small values, and copies of one another at no
 * cost. Errors are -ENOMEM or -EFBIG.
 */
#ifndef SESSFS_SLOTS_H
#define SESSFS_SLOTS_H

#include <stddef.h>
#include <stdint.h>

#define SLOTS_BITS 4

struct slots_node {
	uint32_t to[1 << SLOTS_BITS]; /* nodes, or values */
};

/* The nodes of all sets. Zeroed: none. */
struct slots {
	struct slots_node *nodes;
	uint32_t n;
	size_t cap;
	/* Older nodes may be those of several sets. */
	uint32_t shared;
};

struct slots_set {
	uint32_t root; /* 1 + a node; 0: empty */
	uint32_t height;
};

/* The value, or 0. */
uint32_t slots_get(const struct slots *s, struct slots_set set, uint32_t key);

/* Change a set alone: copies of it stay as they are after slots_share(). */
int slots_put(struct slots *s, struct slots_set *set, uint32_t key,
	      uint32_t value);
void slots_share(struct slots *s);

void slots_free(struct slots *s);

#endif
