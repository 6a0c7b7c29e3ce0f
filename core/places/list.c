#include "core/places/list.h"

#include <string.h>

#include "core/base/array.h"
#include "core/places/private.h"

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

void place_list_append(struct place_list *list, struct place *at)
{
	list->items[list->n++] = at;
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

struct place *place_list_oldest(const struct place_list *list)
{
	struct place *oldest = NULL;
	for (size_t i = 0; i < list->n; i++) {
		struct place *at = list->items[i];
		if (at->state->pins > 0)
			continue;
		if (!oldest || at->state->last_use < oldest->state->last_use)
			oldest = at;
	}
	return oldest;
}
