#include "core/places/fork_index.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/places/private.h"
#include "core/session/dialect.h"

static int compare_homes(uint32_t a, uint32_t b)
{
	return (a > b) - (a < b);
}

static struct span base_of(const struct place *at)
{
	return buf_span(&at->state->base_id);
}

static int by_number(const void *a, const void *b)
{
	const struct place *x = *(struct place *const *)a;
	const struct place *y = *(struct place *const *)b;
	int order = span_compare(base_of(x), base_of(y));
	return order ? order : compare_homes(x->home, y->home);
}

static int by_name(const void *a, const void *b)
{
	const struct place *x = *(struct place *const *)a;
	const struct place *y = *(struct place *const *)b;
	int order = span_compare(base_of(x), base_of(y));
	if (!order)
		order = strcmp(x->name, y->name);
	return order ? order : compare_homes(x->home, y->home);
}

static int add_to(struct place_list *list, struct place *at)
{
	if (place_list_reserve(list) < 0)
		return -ENOMEM;
	place_list_append(list, at);
	return 0;
}

static void sort(struct place_list *list,
		 int (*compare)(const void *, const void *))
{
	if (list->n > 0)
		qsort(list->items, list->n, sizeof(*list->items), compare);
}

/* Does it have the name of the one before it, and the same base? */
static bool is_repeated(const struct place_list *list, size_t i)
{
	const struct place *at = list->items[i];
	const struct place *last = i > 0 ? list->items[i - 1] : NULL;
	return last && strcmp(last->name, at->name) == 0 &&
	       span_eq(base_of(last), base_of(at));
}

/* Under the lock. */
static int build(struct places_state *p)
{
	struct fork_index *x = &p->forks;
	uint32_t number = 0;
	int err = 0;
	x->by_name.n = 0;
	x->by_number.n = 0;
	while (!err &&
	       (number = numbers_next(&p->numbers, number)) < NUMBERS_LIMIT) {
		struct place *at = numbers_owner(&p->numbers, number);
		if (at->home == number && !at->is_folder &&
		    at->state->is_shown && at->state->base_id.len > 0)
			err = add_to(&x->by_name, at);
	}
	sort(&x->by_name, by_name);
	for (size_t i = 0; i < x->by_name.n && !err; i++) {
		if (!is_repeated(&x->by_name, i))
			err = add_to(&x->by_number, x->by_name.items[i]);
	}
	sort(&x->by_number, by_number);
	x->is_current = !err;
	return err;
}

int fork_index_lock(struct places_state *p)
{
	int err = 0;
	while (!err) {
		brlock_rdlock(&p->lock);
		if (p->forks.is_current)
			return 0;
		brlock_rdunlock(&p->lock);
		brlock_wrlock(&p->lock);
		if (!p->forks.is_current)
			err = build(p);
		brlock_wrunlock(&p->lock);
	}
	return err;
}

/* What the index is searched for. */
struct fork_key {
	char base[64];
	struct span base_id;
	struct span name;
	uint32_t above; /* homes */
};

static bool number_before(const void *items, size_t i, const void *key)
{
	const struct place *at = ((struct place *const *)items)[i];
	const struct fork_key *k = key;
	int order = span_compare(base_of(at), k->base_id);
	return order < 0 || (order == 0 && at->home <= k->above);
}

static bool name_before(const void *items, size_t i, const void *key)
{
	const struct place *at = ((struct place *const *)items)[i];
	const struct fork_key *k = key;
	int order = span_compare(base_of(at), k->base_id);
	return order < 0 ||
	       (order == 0 && span_compare(span_of(at->name), k->name) < 0);
}

/* False if a session has no id. */
static bool set_base(struct fork_key *k, const struct place *of)
{
	const struct dialect *d = place_dialect(of);
	struct span none = { k->base, 0 };
	struct span id =
		d && d->bases ? d->bases->file_id(span_of(of->path)) : none;
	if (id.n == 0 || id.n > sizeof(k->base))
		return false;
	for (size_t i = 0; i < id.n; i++)
		k->base[i] = span_lower(id.p[i]);
	k->base_id = (struct span){ k->base, id.n };
	return true;
}

/* The element of a list, if it is a fork of the session. */
static struct place *fork_in(const struct place_list *list, size_t i,
			     const struct fork_key *k)
{
	struct place *at = i < list->n ? list->items[i] : NULL;
	return at && span_eq(base_of(at), k->base_id) ? at : NULL;
}

static bool is_fork(const struct place *at, const struct place *of)
{
	return at != of && at->state->dialect == place_dialect(of);
}

/* The first fork in a list that does not come before the key. */
static struct place *first_fork(const struct place_list *list,
				array_before_fn *before,
				const struct fork_key *k,
				const struct place *of)
{
	size_t i = array_search(list->items, list->n, before, k);
	struct place *at;
	while ((at = fork_in(list, i, k)) && !is_fork(at, of))
		i++;
	return at;
}

struct place *fork_index_next(const struct place *of, uint32_t above)
{
	const struct fork_index *x = &of->places->state->forks;
	struct fork_key k = { .above = above };
	return set_base(&k, of)
		       ? first_fork(&x->by_number, number_before, &k, of)
		       : NULL;
}

struct place *fork_index_find(const struct place *of, struct span name)
{
	const struct fork_index *x = &of->places->state->forks;
	struct fork_key k = { .name = name };
	struct place *at =
		set_base(&k, of) ? first_fork(&x->by_name, name_before, &k, of)
				 : NULL;
	return at && span_eq(span_of(at->name), name) ? at : NULL;
}

/* The index lists another set of forks than before. */
static void change(struct fork_index *x)
{
	x->is_current = false;
	if (x->is_complete)
		__atomic_fetch_add(&x->changes, 1, __ATOMIC_RELAXED);
}

void fork_index_set_base(struct place *at, struct buf *id)
{
	struct buf old = at->state->base_id;
	if (!span_eq(buf_span(&old), buf_span(id)))
		change(&at->places->state->forks);
	at->state->base_id = *id;
	*id = old;
}

void fork_index_forget(const struct place *at)
{
	struct fork_index *x = &at->places->state->forks;
	x->is_current = false;
	if (at->state->base_id.len > 0)
		change(x);
}

void fork_index_free(struct fork_index *x)
{
	free(x->by_name.items);
	free(x->by_number.items);
	*x = (struct fork_index){ 0 };
}
