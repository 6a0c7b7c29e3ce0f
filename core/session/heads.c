#include "core/session/heads.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/base/array.h"
#include "core/session/file_name.h"

/* The most digits of an entry's position, which is its id and file name. */
#define DIGITS 10

/*
 * branches/ shows entries, too, whose names are digits. A head with such a name
 * has its first digit escaped.
 */
static size_t make_file_name(char out[FILE_NAME_LIMIT], struct span name)
{
	bool digits = name.n > 0 && name.n <= DIGITS;
	for (size_t i = 0; i < name.n && digits; i++)
		digits = isdigit((unsigned char)name.p[i]);
	if (!digits)
		return file_name_make(out, name, FILE_NAME_ALONE);
	return (size_t)snprintf(out, FILE_NAME_LIMIT, "%%%02X%.*s",
				(unsigned char)name.p[0], (int)name.n - 1,
				name.p + 1);
}

void heads_free(struct heads *h)
{
	free(h->list);
	buf_free(&h->text);
	idset_free(&h->names);
	*h = (struct heads){ 0 };
}

int heads_set(struct heads *h, struct span name, uint32_t entry)
{
	char made[FILE_NAME_LIMIT];
	const struct span file_name = { made, make_file_name(made, name) };
	uint32_t at = idset_find(&h->names, file_name);
	if (at != IDSET_NONE) {
		h->list[at].entry = entry;
		return 0;
	}
	if (array_reserve(&h->list, &h->cap, h->n, 1) < 0)
		return -ENOMEM;
	h->list[h->n].entry = entry;
	int err = buf_keep(&h->text, name, &h->list[h->n].name);
	if (!err)
		err = idset_add(&h->names, file_name, &at);
	if (!err)
		h->n++;
	return err;
}

struct span heads_name(const struct heads *h, const struct named_head *head)
{
	return buf_kept(&h->text, head->name);
}

void heads_add_file_name(const struct heads *h, struct buf *out,
			 const struct named_head *head)
{
	buf_add(out, idset_get(&h->names, (uint32_t)(head - h->list)));
}

const struct named_head *heads_find(const struct heads *h,
				    struct span file_name)
{
	uint32_t at = idset_find(&h->names, file_name);
	return at == IDSET_NONE ? NULL : &h->list[at];
}
