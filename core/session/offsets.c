#include "core/session/offsets.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "core/base/array.h"
#include "core/session/dialect.h"
#include "core/session/session.h"

struct offsets {
	pthread_mutex_t lock;
	/* Protected by it: */
	uint32_t epoch;	  /* of the session; the others are empty before */
	uint64_t outside; /* dialect_outside.of_all() */
	uint64_t *at;	  /* where each OFFSETS_STEP-th entry begins */
	size_t n;
	size_t cap;
};

struct offsets *offsets_new(void)
{
	struct offsets *x = calloc(1, sizeof(*x));
	if (x && pthread_mutex_init(&x->lock, NULL) != 0) {
		free(x);
		return NULL;
	}
	return x;
}

void offsets_free(struct offsets *x)
{
	if (!x)
		return;
	pthread_mutex_destroy(&x->lock);
	free(x->at);
	free(x);
}

/*
 * Forget the offsets of another epoch, or of other files beside the session.
 * Needs the lock, as do those below.
 */
static void check_epoch(struct offsets *x, const struct session *s)
{
	const struct dialect_outside *d = s->dialect->outside;
	uint64_t outside = d ? d->of_all(s) : 0;
	if (x->epoch != s->epoch || x->outside != outside)
		x->n = 0;
	x->epoch = s->epoch;
	x->outside = outside;
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
	struct offsets *x = s->offsets;
	pthread_mutex_lock(&x->lock);
	check_epoch(x, s);
	size_t n = x->n > 0 ? (x->n - 1) * OFFSETS_STEP : 0;
	pthread_mutex_unlock(&x->lock);
	return (uint32_t)n;
}

int offsets_find(const struct session *s, offsets_size_fn *size,
		 uint64_t offset, uint32_t *entry, uint64_t *start)
{
	struct offsets *x = s->offsets;
	pthread_mutex_lock(&x->lock);
	check_epoch(x, s);
	int err = extend(x, s, size);
	if (!err) {
		/* An index that could not be read again is shorter. */
		size_t n = s->now.index.n / OFFSETS_STEP + (size_t)1;
		size_t i = array_search(x->at, n, is_up_to, &offset) - 1;
		*entry = (uint32_t)i * OFFSETS_STEP;
		*start = x->at[i];
	}
	pthread_mutex_unlock(&x->lock);
	return err ? err
		   : advance(s, size, offset, s->now.index.n, entry, start);
}
