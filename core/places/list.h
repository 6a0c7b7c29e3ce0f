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

/* 0 or -ENOMEM. */
int place_list_append(struct place_list *list, struct place *at);

/* Remove a place, if it is in the list. The order changes. */
void place_list_remove(struct place_list *list, const struct place *at);

#endif
