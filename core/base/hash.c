#include "core/base/hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

uint64_t hash_line(struct span line, uint64_t offset)
{
	if (line.n > 0 && line.p[line.n - 1] == '\r')
		line.n--;
	return XXH3_64bits_withSeed(line.p, line.n, offset);
}
