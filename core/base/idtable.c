#include "core/base/idtable.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/auxv.h>

#include "core/base/hash.h"

void idtable_init(struct idtable *t, idtable_key *key)
{
	*t = (struct idtable){ .key = key };
}

void idtable_free(struct idtable *t)
{
	free(t->slots);
	t->slots = NULL;
	t->cap = 0;
	t->n = 0;
}

/* 32 bits suffice for a table of 32-bit values. */
static uint32_t hash_of(const struct idtable *t, struct span key)
{
	return (uint32_t)hash_bytes(t->seed, key);
}

static void put(struct idtable *t, struct idtable_slot slot)
{
	size_t i = slot.hash & (t->cap - 1);
	while (t->slots[i].value != IDTABLE_NONE)
		i = (i + 1) & (t->cap - 1);
	t->slots[i] = slot;
}

/*
 * The kernel has given the process 16 random bytes, of which nobody else knows.
 * A table has its own, of where its first slots are.
 */
static uint64_t new_seed(const void *slots)
{
	unsigned long at = getauxval(AT_RANDOM);
	struct span bytes = { "", 0 };
	if (at) {
		memcpy(&bytes.p, &at, sizeof(bytes.p));
		bytes.n = 16;
	}
	return hash_bytes((uintptr_t)slots, bytes) | 1;
}

static int grow(struct idtable *t)
{
	struct idtable bigger = *t;
	bigger.cap = t->cap ? t->cap * 2 : 64;
	bigger.slots = malloc(bigger.cap * sizeof(*bigger.slots));
	if (!bigger.slots)
		return -ENOMEM;
	memset(bigger.slots, 0xFF, bigger.cap * sizeof(*bigger.slots));
	if (t->cap == 0)
		bigger.seed = new_seed(bigger.slots);
	for (size_t i = 0; i < t->cap; i++) {
		if (t->slots[i].value != IDTABLE_NONE)
			put(&bigger, t->slots[i]);
	}
	free(t->slots);
	*t = bigger;
	return 0;
}

int idtable_add(struct idtable *t, struct span key, uint32_t value)
{
	if (t->n + 1 > t->cap / 4 * 3) {
		int err = grow(t);
		if (err)
			return err;
	}
	put(t, (struct idtable_slot){ value, hash_of(t, key) });
	t->n++;
	return 0;
}

uint32_t idtable_next(const struct idtable *t, const void *owner,
		      struct span key, size_t *at)
{
	if (t->cap == 0)
		return IDTABLE_NONE;
	uint32_t hash = hash_of(t, key);
	struct idtable_scratch scratch;
	uint32_t found = IDTABLE_NONE;
	while (found == IDTABLE_NONE) {
		struct idtable_slot slot =
			t->slots[(hash + *at) & (t->cap - 1)];
		if (slot.value == IDTABLE_NONE)
			break;
		++*at;
		if (slot.hash != hash)
			continue;
		if (span_eq(t->key(owner, slot.value, &scratch), key))
			found = slot.value;
	}
	return found;
}

uint32_t idtable_find(const struct idtable *t, const void *owner,
		      struct span key)
{
	size_t at = 0;
	return idtable_next(t, owner, key, &at);
}
