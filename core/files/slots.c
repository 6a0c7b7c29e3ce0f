#include "core/files/slots.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"

#define MASK ((1u << SLOTS_BITS) - 1)
/* Of a key with 32 bits. */
#define HEIGHT_LIMIT (32 / SLOTS_BITS)

/* Is a key higher than all that a tree of this height may have? */
static bool is_above(uint32_t key, uint32_t height)
{
	return height < HEIGHT_LIMIT && key >> (height * SLOTS_BITS) != 0;
}

uint32_t slots_get(const struct slots *s, struct slots_set set, uint32_t key)
{
	uint32_t at = is_above(key, set.height) ? 0 : set.root;
	for (uint32_t h = set.height; at > 0 && h-- > 0;)
		at = s->nodes[at - 1].to[key >> (h * SLOTS_BITS) & MASK];
	return at;
}

/* A node that this set has alone, in place of one or of none: *at. */
static int own(struct slots *s, uint32_t *at)
{
	if (*at > s->shared)
		return 0;
	if (s->n == UINT32_MAX)
		return -EFBIG;
	int err = array_reserve(&s->nodes, &s->cap, s->n, 1);
	if (err)
		return err;
	if (*at > 0)
		s->nodes[s->n] = s->nodes[*at - 1];
	else
		memset(&s->nodes[s->n], 0, sizeof(s->nodes[s->n]));
	*at = ++s->n;
	return 0;
}

int slots_put(struct slots *s, struct slots_set *set, uint32_t key,
	      uint32_t value)
{
	int err = 0;
	while (!err && (set->height == 0 || is_above(key, set->height))) {
		uint32_t below = set->root;
		set->root = 0;
		err = own(s, &set->root);
		if (!err)
			s->nodes[set->root - 1].to[0] = below;
		set->height++;
	}
	if (!err)
		err = own(s, &set->root);
	uint32_t node = set->root;
	for (uint32_t h = set->height; !err && h-- > 1;) {
		uint32_t slot = key >> (h * SLOTS_BITS) & MASK;
		uint32_t next = s->nodes[node - 1].to[slot];
		err = own(s, &next);
		if (!err)
			s->nodes[node - 1].to[slot] = next;
		node = next;
	}
	if (!err)
		s->nodes[node - 1].to[key & MASK] = value;
	return err;
}

void slots_share(struct slots *s)
{
	s->shared = s->n;
}

void slots_free(struct slots *s)
{
	free(s->nodes);
}
