#include "core/base/bits.h"

#include <errno.h>
#include <stdlib.h>

#define WORD_BITS 64
#define CHUNK_WORDS 512
#define CHUNK_BITS (CHUNK_WORDS * WORD_BITS)
#define CHUNKS (BITS_LIMIT / CHUNK_BITS)

void bits_free(struct bits *b)
{
	for (uint32_t i = 0; b->chunks && i < CHUNKS; i++)
		free(b->chunks[i]);
	free(b->chunks);
	b->chunks = NULL;
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

int bits_add(struct bits *b, uint32_t i)
{
	uint64_t bit = UINT64_C(1) << i % WORD_BITS;
	uint64_t **chunks =
		get_block((void **)&b->chunks, CHUNKS, sizeof(*b->chunks));
	uint64_t *chunk = NULL;
	if (chunks)
		chunk = get_block((void **)&chunks[i / CHUNK_BITS], CHUNK_WORDS,
				  sizeof(*chunk));
	if (!chunk)
		return -ENOMEM;
	uint64_t *word = &chunk[i % CHUNK_BITS / WORD_BITS];
	/* Without the write, all processors keep the cache line. */
	if (!(__atomic_load_n(word, __ATOMIC_RELAXED) & bit))
		__atomic_fetch_or(word, bit, __ATOMIC_RELAXED);
	return 0;
}

static uint64_t word_at(const struct bits *b, uint32_t i)
{
	uint64_t **chunks = __atomic_load_n(&b->chunks, __ATOMIC_ACQUIRE);
	uint64_t *chunk = NULL;
	if (chunks)
		chunk = __atomic_load_n(&chunks[i / CHUNK_BITS],
					__ATOMIC_ACQUIRE);
	return chunk ? __atomic_load_n(&chunk[i % CHUNK_BITS / WORD_BITS],
				       __ATOMIC_RELAXED)
		     : 0;
}

bool bits_has(const struct bits *b, uint32_t i)
{
	return word_at(b, i) >> i % WORD_BITS & 1;
}

uint32_t bits_next(const struct bits *b, uint32_t from)
{
	while (b->chunks && from < BITS_LIMIT) {
		uint64_t word = word_at(b, from) >> from % WORD_BITS;
		if (word)
			return from + (uint32_t)__builtin_ctzll(word);
		from = (from / WORD_BITS + 1) * WORD_BITS;
		/* Skip chunks that are not allocated. */
		while (from < BITS_LIMIT && from % CHUNK_BITS == 0 &&
		       !b->chunks[from / CHUNK_BITS])
			from += CHUNK_BITS;
	}
	return UINT32_MAX;
}
