#include "core/base/idset.h"

#include <errno.h>
#include <stdlib.h>

#include "core/base/array.h"

static struct span key(const void *owner, uint32_t value,
		       struct idtable_scratch *scratch)
{
	(void)scratch;
	return idset_get(owner, value);
}

void idset_free(struct idset *set)
{
	idtable_free(&set->numbers);
	buf_free(&set->text);
	free(set->places);
	*set = (struct idset){ 0 };
}

int idset_add(struct idset *set, struct span id, uint32_t *number)
{
	*number = idset_find(set, id);
	if (*number != IDSET_NONE)
		return 0;
	if (!set->numbers.key)
		idtable_init(&set->numbers, key);
	if (array_reserve(&set->places, &set->cap, set->n, 1) < 0)
		return -ENOMEM;
	int err = buf_keep(&set->text, id, &set->places[set->n]);
	if (!err)
		err = idtable_add(&set->numbers, id, set->n);
	if (!err)
		*number = set->n++;
	return err;
}

uint32_t idset_find(const struct idset *set, struct span id)
{
	return idtable_find(&set->numbers, set, id);
}

struct span idset_get(const struct idset *set, uint32_t number)
{
	return buf_kept(&set->text, set->places[number]);
}
