/*
 * Fast hashes of bytes. Not cryptographic.
 *
 * hash_bytes() is for short keys of tables. A table seeds it at random, so that
 * nobody can choose keys that collide. hash_line() detects changes of a file.
 * It is XXH3.
 */
#ifndef SESSFS_HASH_H
#define SESSFS_HASH_H

#include <stdint.h>

#include "core/base/span.h"

static inline uint64_t hash_mix(uint64_t a, uint64_t b)
{
	unsigned __int128 m = (unsigned __int128)a * b;
	return (uint64_t)m ^ (uint64_t)(m >> 64);
}

/* Spread numbers that are alike, such as addresses. */
static inline uint64_t hash_number(uint64_t n)
{
	return hash_mix(n, 0x9E3779B97F4A7C15u);
}

static inline uint64_t hash_bytes(uint64_t seed, struct span s)
{
	uint64_t h = seed ^ s.n;
	uint64_t w;
	while (s.n >= 8) {
		memcpy(&w, s.p, 8);
		h = hash_mix(h ^ w, 0x9E3779B97F4A7C15u ^ seed);
		s = span_from(s, 8);
	}
	w = 0;
	if (s.n > 0)
		memcpy(&w, s.p, s.n);
	return hash_mix(h ^ w ^ 0xD6E8FEB86659FD93u,
			0xA0761D6478BD642Fu ^ seed);
}

/*
 * Hash a line at an offset, without a CR at its end: that may be appended after
 * the line was read.
 */
uint64_t hash_line(struct span line, uint64_t offset);

#endif
