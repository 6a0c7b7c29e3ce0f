#include "core/session/started.h"

#include <errno.h>
#include <stdlib.h>

#include "core/base/array.h"
#include "core/session/index.h"

void started_free(struct started *a)
{
	free(a->list);
	free(a->callers);
	buf_free(&a->names);
}

int started_add(struct started *a, uint32_t caller, struct span name)
{
	size_t i = array_search_by(a->list, a->n, caller, caller + 1);
	const struct started_one *last = i > 0 ? &a->list[i - 1] : NULL;
	uint32_t at;
	name.n = strnlen(name.p, name.n); /* it is that of a file */
	/* Its line is there twice. */
	bool repeated = last && last->caller == caller &&
			span_eq(buf_kept(&a->names, last->name), name);
	if (a->n >= STARTED_LIMIT || repeated)
		return 0;
	if (array_reserve(&a->list, &a->cap, a->n, 1) < 0 ||
	    array_reserve(&a->callers, &a->callers_cap, a->n, 1) < 0 ||
	    buf_keep(&a->names, name, &at) < 0)
		return -ENOMEM;
	memmove(a->list + i + 1, a->list + i, (a->n - i) * sizeof(*a->list));
	a->list[i] = (struct started_one){ caller, at };
	a->callers[a->n++] = caller;
	return 0;
}

bool started_add_name(const struct started *a, uint32_t entry, uint32_t n,
		      struct buf *out)
{
	size_t i = n + array_search_by(a->list, a->n, caller, entry);
	if (i >= a->n || a->list[i].caller != entry)
		return false;
	buf_add(out, buf_kept(&a->names, a->list[i].name));
	return true;
}

uint32_t started_caller(const struct started *a, uint32_t n)
{
	return n < a->n ? a->callers[n] : INDEX_NONE;
}
