/*
 * A set of numbers below BITS_LIMIT, such as those of entries. It is a bitmap
 * in chunks of 2 KiB; each chunk is allocated for its first member.
 *
 * Several threads may call bits_add(), bits_remove() and bits_has() at once,
 * without a lock. For bits_next() and bits_free() the caller must exclude them.
 */
#ifndef SESSFS_BITS_H
#define SESSFS_BITS_H

#include <stdbool.h>
#include <stdint.h>

#define BITS_LIMIT ((uint32_t)1 << 26)

struct bits {
	uint64_t ***groups; /* NULL: empty */
};

void bits_free(struct bits *b);

/* 0 or -ENOMEM. */
int bits_add(struct bits *b, uint32_t i);
void bits_remove(struct bits *b, uint32_t i);
bool bits_has(const struct bits *b, uint32_t i);

/* The first member from `from` on, or UINT32_MAX. */
uint32_t bits_next(const struct bits *b, uint32_t from);

#endif
