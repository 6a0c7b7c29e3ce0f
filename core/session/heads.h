/*
 * Named heads: branches to which a log gives names, as the index draft does.
 * For each name, the last head entry. The branch tip is that entry's parent.
 */
#ifndef SESSFS_HEADS_H
#define SESSFS_HEADS_H

#include <stdint.h>

#include "core/base/idset.h"

struct named_head {
	uint32_t name; /* in heads.text */
	uint32_t entry;
};

/* A zeroed struct has none. */
struct heads {
	struct named_head *list; /* in the order of each name's first head */
	uint32_t n;

	/* private */
	size_t cap;
	struct buf text;
	struct idset names; /* file names, numbered as in the list */
};

void heads_free(struct heads *h);

/* The entry is the last head of that name. 0, -ENOMEM or -EFBIG. */
int heads_set(struct heads *h, struct span name, uint32_t entry);

/* The name of a head (WTF-8); borrowed until the heads grow. */
struct span heads_name(const struct heads *h, const struct named_head *head);

/* Append the file name of a head; find the head with one, or NULL. */
void heads_add_file_name(const struct heads *h, struct buf *out,
			 const struct named_head *head);
const struct named_head *heads_find(const struct heads *h,
				    struct span file_name);

#endif
