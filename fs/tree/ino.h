/*
 * Inode numbers: computed, never stored, so that there is nothing to look up
 * and nothing to forget.
 *
 *      63       46 45          20 19        5 4    0
 *     +-----------+--------------+-----------+------+
 *     |   place   |    entry     |    nth    | kind |
 *     +-----------+--------------+-----------+------+
 *
 * The place is a number of core/places/places.h: a folder's or session's home
 * for itself, for staged symlinks and for `append`, that of the session's epoch
 * for all else in it. When a file has been replaced, the old numbers name
 * nothing any more and answer ESTALE. SOURCE is number 1, as the kernel wants
 * it, whatever it is.
 *
 * The kernel finds numbers in a table by their lower bits, more or less, and
 * those of many places would all be in one row of it. So the entry is counted
 * from a start of the place's own, in a circle.
 */
#ifndef SESSFS_INO_H
#define SESSFS_INO_H

#include <stdint.h>

#include "core/show/content.h"
#include "fs/tree/node_kinds.h"

#define INO_KIND_BITS 5
#define INO_NTH_BITS 15
#define INO_ENTRY_BITS 26
/* Odd, so that no two places have the same start. */
#define INO_PLACE_START 0x2545F49u

_Static_assert(INO_KIND_BITS + INO_NTH_BITS + INO_ENTRY_BITS + PLACE_BITS == 64,
	       "the fields fill a number");
_Static_assert(KIND_COUNT <= 1 << INO_KIND_BITS, "kinds fit");
_Static_assert(PICTURE_LIMIT < 1 << INO_NTH_BITS, "pictures fit");
_Static_assert(INDEX_LIMIT <= 1u << INO_ENTRY_BITS, "entries fit");
_Static_assert(KIND_ROOT == 1, "the kernel's number for the root");

/* Is the kind numbered by its place's home? */
static inline bool ino_is_home(enum node_kind kind)
{
	return kind == KIND_ROOT || kind == KIND_FOLDER ||
	       kind == KIND_STAGED || kind == KIND_APPEND;
}

/* `place` is its number. */
static inline uint64_t ino_encode(uint32_t place, const struct node *n)
{
	enum node_kind kind = n->kind;
	uint32_t entry = n->entry + place * INO_PLACE_START;
	if (place == 0 && kind == KIND_FOLDER)
		kind = KIND_ROOT;
	entry &= (1u << INO_ENTRY_BITS) - 1;
	return (uint64_t)place
		       << (INO_ENTRY_BITS + INO_NTH_BITS + INO_KIND_BITS) |
	       (uint64_t)entry << (INO_NTH_BITS + INO_KIND_BITS) |
	       (uint64_t)n->nth << INO_KIND_BITS | (uint64_t)kind;
}

/* That of a file in a session that is entered. */
static inline uint64_t ino_of(const struct node *n)
{
	return ino_encode(
		ino_is_home(n->kind) ? n->place->home : n->place->number, n);
}

/* What people see: openings of a file have one number. */
static inline uint64_t ino_shown(const struct node *n)
{
	struct node shown = *n;
	if (n->kind == KIND_APPEND) {
		shown.entry = 0;
		shown.nth = 0;
	}
	return ino_of(&shown);
}

static inline uint32_t ino_place(uint64_t ino)
{
	return (uint32_t)(ino >>
			  (INO_ENTRY_BITS + INO_NTH_BITS + INO_KIND_BITS));
}

/*
 * The file that a number stands for, by its bits alone: false if they are no
 * kind's. Whether the entry exists is for the caller to see.
 */
static inline bool ino_decode(uint64_t ino, struct node *n)
{
	uint32_t start = ino_place(ino) * INO_PLACE_START;
	n->kind = (enum node_kind)(ino & ((1u << INO_KIND_BITS) - 1));
	ino >>= INO_KIND_BITS;
	n->nth = (uint32_t)(ino & ((1u << INO_NTH_BITS) - 1));
	ino >>= INO_NTH_BITS;
	n->entry = ((uint32_t)ino - start) & ((1u << INO_ENTRY_BITS) - 1);
	return n->kind > KIND_NONE && n->kind < KIND_COUNT;
}

#endif
