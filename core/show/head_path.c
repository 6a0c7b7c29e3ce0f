#include "core/show/step_name.h"

#include <errno.h>
#include <stdlib.h>

#include "core/base/array.h"
#include "core/session/derived.h"

struct head_path {
	struct derived derived;
	uint32_t *list; /* from the root to HEAD */
	size_t n;
	size_t cap;
	/* By entry: where it is in the list, if it is there. */
	uint32_t *places;
	size_t n_places;
	size_t places_cap;
};

static void clear(void *cache)
{
	struct head_path *p = cache;
	free(p->list);
	free(p->places);
}

static const struct derived_kind kind = { sizeof(struct head_path), clear };

/* An entry that is not in the list has any place, so look there. */
static bool is_listed(const struct head_path *p, uint32_t entry)
{
	if (entry >= p->n_places)
		return false;
	uint32_t at = p->places[entry];
	return at < p->n && p->list[at] == entry;
}

/*
 * Keep the start of the list that is on the way to `head` too, and append the
 * entries after it. Changes nothing without memory.
 */
static int follow(struct head_path *p, const struct index *x, uint32_t head)
{
	int err = array_extend(&p->places, &p->places_cap, &p->n_places, x->n);
	if (err)
		return err;
	size_t more = 0;
	uint32_t at = head;
	for (; at != INDEX_NONE && !is_listed(p, at);
	     at = bookkeeping_shown_parent(x, at))
		more++;
	size_t kept = at == INDEX_NONE ? 0 : p->places[at] + (size_t)1;
	if (array_reserve(&p->list, &p->cap, kept, more) < 0)
		return -ENOMEM;
	p->n = kept + more;
	for (uint32_t i = head; more > 0; i = bookkeeping_shown_parent(x, i)) {
		more--;
		p->list[kept + more] = i;
		p->places[i] = (uint32_t)(kept + more);
	}
	return 0;
}

int head_path_entry(const struct session *s, uint32_t number, uint32_t *entry)
{
	struct head_path *p = derived_lock(s, &kind);
	if (!p)
		return -ENOMEM;
	int err = follow(p, &s->now.index, session_head(s));
	if (!err && (number == 0 || number > p->n))
		err = -ENOENT;
	if (!err)
		*entry = p->list[number - 1];
	derived_unlock(&p->derived);
	return err;
}
