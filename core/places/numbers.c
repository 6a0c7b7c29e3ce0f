#include "core/places/private.h"

#include <errno.h>
#include <stdlib.h>

#include "core/base/array.h"

void numbers_free(struct numbers *l)
{
	free(l->owners);
	*l = (struct numbers){ 0 };
}

int numbers_assign(struct numbers *l, struct place *owner, uint32_t *number)
{
	if (l->n == NUMBERS_LIMIT)
		return -ENFILE;
	while (numbers_owner(l, l->next))
		l->next = (l->next + 1) % NUMBERS_LIMIT;
	size_t cap = l->cap;
	int err = array_reserve(&l->owners, &l->cap, l->next, 1);
	for (; cap < l->cap; cap++)
		l->owners[cap] = NULL;
	if (err)
		return err;
	*number = l->next;
	l->owners[l->next] = owner;
	l->next = (l->next + 1) % NUMBERS_LIMIT;
	l->n++;
	return 0;
}

void numbers_release(struct numbers *l, uint32_t number)
{
	l->owners[number] = NULL;
	l->n--;
}

struct place *numbers_owner(const struct numbers *l, uint32_t number)
{
	return number < l->cap ? l->owners[number] : NULL;
}

uint32_t numbers_next(const struct numbers *l, uint32_t number)
{
	while (++number < l->cap) {
		if (l->owners[number])
			return number;
	}
	return NUMBERS_LIMIT;
}
