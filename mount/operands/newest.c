#include "mount/operands/newest.h"

#include <errno.h>
#include <stdlib.h>

#include "core/base/array.h"

int newest_add(struct newest *w, struct place *at, void *source)
{
	if (array_reserve(&w->list, &w->cap, w->n, 1) < 0)
		return -ENOMEM;
	const struct version v = place_checked(at);
	w->list[w->n] = (struct newest_item){
		.at = at,
		.source = source,
		.written = { v.mtime[0], v.mtime[1] },
		.number = w->n,
	};
	w->n++;
	return 0;
}

static int by_time(const void *a, const void *b)
{
	const struct newest_item *x = a;
	const struct newest_item *y = b;
	if (x->written.tv_sec != y->written.tv_sec)
		return x->written.tv_sec > y->written.tv_sec ? -1 : 1;
	if (x->written.tv_nsec != y->written.tv_nsec)
		return x->written.tv_nsec > y->written.tv_nsec ? -1 : 1;
	return x->number < y->number ? -1 : 1;
}

void newest_sort(struct newest *w)
{
	if (w->n > 0)
		qsort(w->list, w->n, sizeof(*w->list), by_time);
}

const struct newest_item *newest_take(struct newest *w)
{
	return w->next < w->n ? &w->list[w->next++] : NULL;
}

void newest_free(struct newest *w)
{
	free(w->list);
	*w = (struct newest){ 0 };
}
