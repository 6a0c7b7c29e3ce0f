/*
 * A list of places. It borrows them; a zeroed struct is empty, and free() on
 * `items` releases it. places.lock protects it.
 */
#ifndef SESSFS_LIST_H
#define SESSFS_LIST_H

#include <stddef.h>

struct place;

struct place_list {
	struct place **items;
	size_t n;
	size_t cap;
};

/* Make room for one more: 0 or -ENOMEM. */
int place_list_reserve(struct place_list *list);

/* Insert at index i; there must be room. Or append: 0 or -ENOMEM. */
void place_list_insert(struct place_list *list, size_t i, struct place *at);
int place_list_append(struct place_list *list, struct place *at);

/* Remove the place at index i; the others stay in order. */
void place_list_delete(struct place_list *list, size_t i);

/* Remove a place, if it is in the list. The order changes. */
void place_list_remove(struct place_list *list, const struct place *at);

#endif
