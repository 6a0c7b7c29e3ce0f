/*
 * Inode numbers: computed, never stored, so that there is nothing to look up
 * and nothing to forget.
 *
 *      63       48 47          20 19        5 4    0
 *     +-----------+--------------+-----------+------+
 *     |   epoch   |    entry     |    nth    | kind |
 *     +-----------+--------------+-----------+------+
 *
 * The epoch is that of the session (core/session.h): when a file has been
 * replaced, the old numbers name nothing any more and answer ESTALE. The root
 * is number 1, as the kernel wants it, in every epoch.
 */
#ifndef SESSFS_INO_H
#define SESSFS_INO_H

#include <stdint.h>

#include "core/content.h"
#include "fs/kind.h"

#define INO_KIND_BITS 5
#define INO_NTH_BITS 15
#define INO_ENTRY_BITS 28
#define INO_EPOCH_BITS 16

_Static_assert(INO_KIND_BITS + INO_NTH_BITS + INO_ENTRY_BITS + INO_EPOCH_BITS ==
		       64,
	       "the fields fill a number");
_Static_assert(KIND_COUNT <= 1 << INO_KIND_BITS, "kinds fit");
_Static_assert(PICTURE_LIMIT < 1 << INO_NTH_BITS, "pictures fit");
_Static_assert(INDEX_LIMIT <= 1u << INO_ENTRY_BITS, "entries fit");
_Static_assert(KIND_ROOT == 1, "the kernel's number for the root");

/* The part of an epoch that numbers carry. */
static inline uint32_t ino_epoch(uint32_t epoch)
{
	return epoch & ((1u << INO_EPOCH_BITS) - 1);
}

static inline uint64_t ino_encode(uint32_t epoch, struct node n)
{
	if (n.kind == KIND_ROOT)
		return KIND_ROOT;
	return (uint64_t)ino_epoch(epoch)
		       << (INO_ENTRY_BITS + INO_NTH_BITS + INO_KIND_BITS) |
	       (uint64_t)n.entry << (INO_NTH_BITS + INO_KIND_BITS) |
	       (uint64_t)n.nth << INO_KIND_BITS | (uint64_t)n.kind;
}

/*
 * The file that a number stands for, by its bits alone: false if they are no
 * kind's. Whether the entry exists is for the caller to see.
 */
static inline bool ino_decode(uint64_t ino, uint32_t *epoch, struct node *n)
{
	n->kind = (enum kind)(ino & ((1u << INO_KIND_BITS) - 1));
	ino >>= INO_KIND_BITS;
	n->nth = (uint32_t)(ino & ((1u << INO_NTH_BITS) - 1));
	ino >>= INO_NTH_BITS;
	n->entry = (uint32_t)(ino & ((1u << INO_ENTRY_BITS) - 1));
	*epoch = (uint32_t)(ino >> INO_ENTRY_BITS);
	return n->kind > KIND_NONE && n->kind < KIND_COUNT;
}

#endif
