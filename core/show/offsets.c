#include "core/show/offsets.h"

#include <errno.h>
#include <stdlib.h>

#include "core/base/array.h"
#include "core/session/derived.h"
#include "core/session/dialect.h"

struct offsets {
	struct derived derived;
	uint64_t outside; /* dialect_outside.of_all() */
	uint64_t *at;	  /* where each OFFSETS_STEP-th entry begins */
	size_t n;
	size_t cap;
};

static void clear(void *cache)
{
	struct offsets *x = cache;
	free(x->at);
	x->at = NULL;
	x->n = x->cap = 0;
}

static const struct derived_kind kind = { sizeof(struct offsets), clear };

/* They change with the files beside the session, too. */
static struct offsets *lock(const struct session *s)
{
	struct offsets *x = derived_lock(s, &kind);
	const struct dialect_outside *d = s->dialect->outside;
	uint64_t outside = d ? d->of_all(s) : 0;
	if (x && x->outside != outside)
		x->n = 0;
	if (x)
		x->outside = outside;
	return x;
}

/*
 * Go from an entry, which begins at *start, to the one that has the byte at an
 * offset, but at most to `end`.
 */
static int advance(const struct session *s, offsets_size_fn *size,
		   uint64_t offset, uint32_t end, uint32_t *entry,
		   uint64_t *start)
{
	while (*entry < end) {
		uint64_t n;
		int err = size(s, *entry, &n);
		if (err)
			return err;
		if (offset < *start + n)
			break;
		*start += n;
		++*entry;
	}
	return 0;
}

/* Compute the offsets that are missing. */
static int extend(struct offsets *x, const struct session *s,
		  offsets_size_fn *size)
{
	int err = 0;
	while (!err && x->n <= s->now.index.n / OFFSETS_STEP) {
		if (array_reserve(&x->at, &x->cap, x->n, 1) < 0)
			return -ENOMEM;
		uint32_t to = (uint32_t)x->n * OFFSETS_STEP;
		uint32_t entry = x->n > 0 ? to - OFFSETS_STEP : 0;
		uint64_t at = x->n > 0 ? x->at[x->n - 1] : 0;
		err = advance(s, size, UINT64_MAX, to, &entry, &at);
		if (!err)
			x->at[x->n++] = at;
	}
	return err;
}

static bool is_up_to(const void *list, size_t i, const void *key)
{
	const uint64_t *at = list;
	return at[i] <= *(const uint64_t *)key;
}

uint32_t offsets_known(const struct session *s)
{
	struct offsets *x = lock(s);
	if (!x)
		return 0;
	size_t n = x->n > 0 ? (x->n - 1) * OFFSETS_STEP : 0;
	derived_unlock(&x->derived);
	return (uint32_t)n;
}

int offsets_find(const struct session *s, offsets_size_fn *size,
		 uint64_t offset, uint32_t *entry, uint64_t *start)
{
	struct offsets *x = lock(s);
	if (!x)
		return -ENOMEM;
	int err = extend(x, s, size);
	if (!err) {
		/* An index that could not be read again is shorter. */
		size_t n = s->now.index.n / OFFSETS_STEP + (size_t)1;
		size_t i = array_search(x->at, n, is_up_to, &offset) - 1;
		*entry = (uint32_t)i * OFFSETS_STEP;
		*start = x->at[i];
	}
	derived_unlock(&x->derived);
	return err ? err
		   : advance(s, size, offset, s->now.index.n, entry, start);
}
