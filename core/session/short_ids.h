/*
 * Ids as people see and type them: of each entry's file name the shortest start
 * that no other name has, of 8 bytes at least. index_find_prefix() finds the
 * entry by it.
 *
 * They are made of all names at once, and hold until an entry is added. Names
 * are UTF-8, and cut between characters.
 */
#ifndef SESSFS_SHORT_IDS_H
#define SESSFS_SHORT_IDS_H

#include "core/session/index.h"

#define SHORT_ID_LEAST 8
/* What a person types may be shorter. */
#define SHORT_ID_TYPED 4

struct short_ids {
	size_t longest; /* in bytes */
	/* private */
	const struct index *x;
	uint8_t *lengths; /* by entry; NULL: all names are short */
};

/* 0 or -ENOMEM; end them then, too. Takes n log n, unless all names are short.
 */
int short_ids_begin(struct short_ids *s, const struct index *x);
void short_ids_end(struct short_ids *s);

void short_ids_add(const struct short_ids *s, struct buf *out, uint32_t entry);

#endif
