#include "core/base/bits.h"

#include <errno.h>
#include <stdlib.h>

#define WORD_BITS 64
#define CHUNK_WORDS 256
#define CHUNK_BITS (CHUNK_WORDS * WORD_BITS)
#define GROUP_CHUNKS 64
#define GROUP_BITS (GROUP_CHUNKS * CHUNK_BITS)
#define GROUPS (BITS_LIMIT / GROUP_BITS)

_Static_assert(GROUPS *GROUP_BITS == BITS_LIMIT, "groups fill a set");

void bits_free(struct bits *b)
{
	for (uint32_t i = 0; b->groups && i < GROUPS; i++) {
		uint64_t **group = b->groups[i];
		for (uint32_t k = 0; group && k < GROUP_CHUNKS; k++)
			free(group[k]);
		free(group);
	}
	free(b->groups);
	b->groups = NULL;
}

/* The block that *slot points to. The first thread to use it allocates it. */
static void *get_block(void **slot, size_t n, size_t size)
{
	void *block = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
	if (block)
		return block;
	void *made = calloc(n, size);
	if (!made ||
	    __atomic_compare_exchange_n(slot, &block, made, false,
					__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return made;
	free(made);
	return block;
}

/* The word that has a number's bit, or NULL. */
static uint64_t *make_word(struct bits *b, uint32_t i)
{
	uint64_t ***groups =
		get_block((void **)&b->groups, GROUPS, sizeof(*groups));
	uint64_t **group = NULL;
	uint64_t *chunk = NULL;
	if (groups)
		group = get_block((void **)&groups[i / GROUP_BITS],
				  GROUP_CHUNKS, sizeof(*group));
	if (group)
		chunk = get_block((void **)&group[i % GROUP_BITS / CHUNK_BITS],
				  CHUNK_WORDS, sizeof(*chunk));
	return chunk ? &chunk[i % CHUNK_BITS / WORD_BITS] : NULL;
}

/* The same; NULL if the number's chunk is not allocated. */
static uint64_t *find_word(const struct bits *b, uint32_t i)
{
	uint64_t ***groups = __atomic_load_n(&b->groups, __ATOMIC_ACQUIRE);
	uint64_t **group = NULL;
	uint64_t *chunk = NULL;
	if (groups)
		group = __atomic_load_n(&groups[i / GROUP_BITS],
					__ATOMIC_ACQUIRE);
	if (group)
		chunk = __atomic_load_n(&group[i % GROUP_BITS / CHUNK_BITS],
					__ATOMIC_ACQUIRE);
	return chunk ? &chunk[i % CHUNK_BITS / WORD_BITS] : NULL;
}

static uint64_t bit_of(uint32_t i)
{
	return UINT64_C(1) << i % WORD_BITS;
}

int bits_add(struct bits *b, uint32_t i)
{
	uint64_t *word = make_word(b, i);
	if (!word)
		return -ENOMEM;
	/* Without the write, all processors keep the cache line. */
	if (!(__atomic_load_n(word, __ATOMIC_RELAXED) & bit_of(i)))
		__atomic_fetch_or(word, bit_of(i), __ATOMIC_RELAXED);
	return 0;
}

void bits_remove(struct bits *b, uint32_t i)
{
	uint64_t *word = find_word(b, i);
	if (word)
		__atomic_fetch_and(word, ~bit_of(i), __ATOMIC_RELAXED);
}

bool bits_has(const struct bits *b, uint32_t i)
{
	const uint64_t *word = find_word(b, i);
	return word && __atomic_load_n(word, __ATOMIC_RELAXED) & bit_of(i);
}

uint32_t bits_next(const struct bits *b, uint32_t from)
{
	while (b->groups && from < BITS_LIMIT) {
		const uint64_t *word = find_word(b, from);
		uint64_t bits = word ? *word >> from % WORD_BITS : 0;
		if (bits)
			return from + (uint32_t)__builtin_ctzll(bits);
		/* Skip a chunk that is not allocated. */
		uint32_t step = word ? WORD_BITS : CHUNK_BITS;
		from = (from / step + 1) * step;
	}
	return UINT32_MAX;
}
