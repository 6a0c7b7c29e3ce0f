/*
 * The numbers of places.
 *
 * They are assigned in turn, so a number that was released is not assigned
 * again before all others were.
 *
 * places.lock protects the struct; a zeroed one is empty.
 */
#ifndef SESSFS_NUMBERS_H
#define SESSFS_NUMBERS_H

#include <stddef.h>
#include <stdint.h>

#include "core/places/places.h"

#define NUMBERS_LIMIT ((uint32_t)1 << PLACE_BITS)

struct numbers {
	struct place **owners; /* by number; NULL: free */
	size_t cap;
	uint32_t n;    /* assigned */
	uint32_t next; /* to assign, if it is free */
};

void numbers_free(struct numbers *l);

/* Assign a number to a place. -ENFILE if none is free; -ENOMEM. */
int numbers_assign(struct numbers *l, struct place *owner, uint32_t *number);
void numbers_release(struct numbers *l, uint32_t number);

/* NULL if the number is free. */
struct place *numbers_owner(const struct numbers *l, uint32_t number);

/* The lowest assigned number above `number`, or NUMBERS_LIMIT. */
uint32_t numbers_next(const struct numbers *l, uint32_t number);

#endif
