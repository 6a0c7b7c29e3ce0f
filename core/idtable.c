#include "core/idtable.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>

#include "core/hash.h"

void idtable_init(struct idtable *t, idtable_key *key)
{
	*t = (struct idtable){ .key = key };
	if (getrandom(&t->seed, sizeof(t->seed), GRND_NONBLOCK) !=
	    sizeof(t->seed))
		t->seed = (uintptr_t)t;
	t->seed |= 1;
}

void idtable_free(struct idtable *t)
{
	free(t->slots);
	t->slots = NULL;
	t->cap = 0;
	t->n = 0;
}

void idtable_clear(struct idtable *t)
{
	idtable_free(t);
}

static void put(struct idtable *t, struct span key, uint32_t value)
{
	size_t i = hash_bytes(t->seed, key) & (t->cap - 1);
	while (t->slots[i] != IDTABLE_NONE)
		i = (i + 1) & (t->cap - 1);
	t->slots[i] = value;
}

static int grow(struct idtable *t, const void *owner)
{
	struct idtable bigger = *t;
	bigger.cap = t->cap ? t->cap * 2 : 64;
	bigger.slots = malloc(bigger.cap * sizeof(*bigger.slots));
	if (!bigger.slots)
		return -ENOMEM;
	memset(bigger.slots, 0xFF, bigger.cap * sizeof(*bigger.slots));

	struct buf scratch = { 0 };
	int err = 0;
	for (size_t i = 0; i < t->cap && !err; i++) {
		if (t->slots[i] == IDTABLE_NONE)
			continue;
		buf_clear(&scratch);
		struct span key = t->key(owner, t->slots[i], &scratch);
		err = buf_error(&scratch);
		put(&bigger, key, t->slots[i]);
	}
	buf_free(&scratch);
	if (err) {
		free(bigger.slots);
		return err;
	}
	free(t->slots);
	*t = bigger;
	return 0;
}

int idtable_add(struct idtable *t, const void *owner, struct span key,
		uint32_t value)
{
	if (t->n + 1 > t->cap / 4 * 3) {
		int err = grow(t, owner);
		if (err)
			return err;
	}
	put(t, key, value);
	t->n++;
	return 0;
}

uint32_t idtable_next(const struct idtable *t, const void *owner,
		      struct span key, size_t *at)
{
	if (t->cap == 0)
		return IDTABLE_NONE;
	uint64_t start = hash_bytes(t->seed, key);
	struct buf scratch = { 0 };
	uint32_t found = IDTABLE_NONE;
	while (found == IDTABLE_NONE) {
		uint32_t value = t->slots[(start + *at) & (t->cap - 1)];
		if (value == IDTABLE_NONE)
			break;
		++*at;
		buf_clear(&scratch);
		if (span_eq(t->key(owner, value, &scratch), key))
			found = value;
	}
	buf_free(&scratch);
	return found;
}

uint32_t idtable_find(const struct idtable *t, const void *owner,
		      struct span key)
{
	size_t at = 0;
	return idtable_next(t, owner, key, &at);
}
