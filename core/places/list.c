#include "core/places/list.h"

#include <string.h>

#include "core/base/array.h"

int place_list_reserve(struct place_list *list)
{
	return array_reserve(&list->items, &list->cap, list->n, 1);
}

void place_list_insert(struct place_list *list, size_t i, struct place *at)
{
	memmove(list->items + i + 1, list->items + i,
		(list->n - i) * sizeof(*list->items));
	list->items[i] = at;
	list->n++;
}

int place_list_append(struct place_list *list, struct place *at)
{
	int err = place_list_reserve(list);
	if (!err)
		list->items[list->n++] = at;
	return err;
}

void place_list_delete(struct place_list *list, size_t i)
{
	list->n--;
	memmove(list->items + i, list->items + i + 1,
		(list->n - i) * sizeof(*list->items));
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
