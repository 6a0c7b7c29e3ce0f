/*
 * Named heads: branches that a log gives names to (FORMATS.md, section 5, index
 * draft). Of each name the entry that said it last, whose parent is where the
 * branch is.
 */
#ifndef SESSFS_HEADS_H
#define SESSFS_HEADS_H

#include <stdint.h>

#include "core/base/idtable.h"

struct named_head {
	uint32_t name; /* in heads.text */
	uint32_t name_n;
	uint32_t entry;
};

struct heads {
	struct named_head *list; /* in the order in which names came up */
	uint32_t n;

	/* private */
	size_t cap;
	struct buf text;
	struct idtable names; /* by file name */
};

void heads_init(struct heads *h);
void heads_free(struct heads *h);

/* The entry says where the branch of that name is: -ENOMEM or -EFBIG. */
int heads_set(struct heads *h, struct span name, uint32_t entry);

/* What the log calls a head (WTF-8); borrowed, until the heads grow. */
struct span heads_name(const struct heads *h, const struct named_head *head);

/* The file name of a head, and the head of a file name (NULL if none). */
void heads_add_file_name(const struct heads *h, struct buf *out,
			 const struct named_head *head);
const struct named_head *heads_find(const struct heads *h,
				    struct span file_name);

#endif
