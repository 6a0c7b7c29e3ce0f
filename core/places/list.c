#include "core/places/list.h"

#include <errno.h>

#include "core/base/array.h"

int place_list_append(struct place_list *list, struct place *at)
{
	if (array_reserve(&list->items, &list->cap, list->n, 1) < 0)
		return -ENOMEM;
	list->items[list->n++] = at;
	return 0;
}

void place_list_remove(struct place_list *list, const struct place *at)
{
	for (size_t i = 0; i < list->n; i++) {
		if (list->items[i] == at) {
			list->items[i] = list->items[--list->n];
			return;
		}
	}
}
