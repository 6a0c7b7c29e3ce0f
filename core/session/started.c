#include "core/session/started.h"

#include <errno.h>
#include <stdlib.h>

#include "core/base/array.h"
#include "core/session/index.h"

void started_free(struct started *a)
{
	free(a->list);
	free(a->order);
	buf_free(&a->names);
}

static bool called_by_then(const void *owner, size_t i, const void *caller)
{
	const struct started *a = owner;
	return a->list[a->order[i]].caller <= *(const uint32_t *)caller;
}

static bool called_before(const void *owner, size_t i, const void *caller)
{
	const struct started *a = owner;
	return a->list[a->order[i]].caller < *(const uint32_t *)caller;
}

/* Is it the name of the caller's last one? Then its line is there twice. */
static bool is_repeated(const struct started *a, size_t end, uint32_t caller,
			struct span name)
{
	if (end == 0 || a->list[a->order[end - 1]].caller != caller)
		return false;
	return span_eq(span_of(a->names.data + a->list[a->order[end - 1]].name),
		       name);
}

int started_add(struct started *a, uint32_t caller, struct span name)
{
	size_t i = array_search(a, a->n, called_by_then, &caller);
	if (a->n >= STARTED_LIMIT || is_repeated(a, i, caller, name))
		return 0;
	if (array_reserve(&a->list, &a->cap, a->n, 1) < 0 ||
	    array_reserve(&a->order, &a->order_cap, a->n, 1) < 0)
		return -ENOMEM;
	uint32_t at = (uint32_t)a->names.len;
	buf_add(&a->names, name);
	buf_addc(&a->names, '\0');
	if (a->names.failed)
		return -ENOMEM;
	memmove(a->order + i + 1, a->order + i, (a->n - i) * sizeof(*a->order));
	a->order[i] = (uint32_t)a->n;
	a->list[a->n++] = (struct started_one){ caller, at };
	return 0;
}

bool started_add_name(const struct started *a, uint32_t entry, uint32_t n,
		      struct buf *out)
{
	size_t i = n + array_search(a, a->n, called_before, &entry);
	if (i >= a->n || a->list[a->order[i]].caller != entry)
		return false;
	buf_adds(out, a->names.data + a->list[a->order[i]].name);
	return true;
}

uint32_t started_caller(const struct started *a, uint32_t n)
{
	return n < a->n ? a->list[n].caller : INDEX_NONE;
}
