/*
 * A set of entries, by number: a bit for each, in chunks that are there once
 * they have a member.
 *
 * Members are added and looked for by any number of threads at once, without a
 * lock. To free it, or to walk it, one must be alone with it.
 */
#ifndef SESSFS_BITS_H
#define SESSFS_BITS_H

#include <stdbool.h>
#include <stdint.h>

struct bits {
	uint64_t **chunks; /* NULL: empty */
};

void bits_free(struct bits *b);

/* 0 or -ENOMEM. */
int bits_add(struct bits *b, uint32_t i);
bool bits_has(const struct bits *b, uint32_t i);

/* The first member from `from` on, or UINT32_MAX. */
uint32_t bits_next(const struct bits *b, uint32_t from);

#endif
