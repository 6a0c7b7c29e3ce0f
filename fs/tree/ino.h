/*
 * Inode numbers are computed and never stored, so there is no table to look
 * them up in and nothing to forget.
 *
 *      63       46 45          20 19        6 5    0
 *     +-----------+--------------+-----------+------+
 *     |   place   |    entry     |    nth    | kind |
 *     +-----------+--------------+-----------+------+
 *
 * The place field is one of a place's two numbers (core/places/places.h). The
 * place itself, groups and their links, forks/, sessions.txt, .ignore,
 * .gitignore, staged symlinks and `append` have its home number; all other
 * files of a session have the number of its epoch. After a session file is
 * replaced, the old numbers name no file and requests get ESTALE. SOURCE is
 * number 1, as the kernel demands.
 *
 * The kernel hashes inode numbers mainly by their lower bits, so the same entry
 * of many places would share one bucket. Each place therefore counts its
 * entries from an offset of its own, modulo 2^INO_ENTRY_BITS.
 */
#ifndef SESSFS_INO_H
#define SESSFS_INO_H

#include <stdint.h>

#include "core/show/content.h"
#include "core/show/touches.h"
#include "fs/tree/node.h"

#define INO_KIND_BITS 6
#define INO_NTH_BITS 14
#define INO_ENTRY_BITS 26
/* Odd, so that no two places have the same offset. */
#define INO_PLACE_START 0x2545F49u

_Static_assert(INO_KIND_BITS + INO_NTH_BITS + INO_ENTRY_BITS + PLACE_BITS == 64,
	       "the fields fill a number");
_Static_assert(KIND_COUNT <= 1 << INO_KIND_BITS, "kinds fit");
_Static_assert(PICTURE_LIMIT < 1 << INO_NTH_BITS, "pictures fit");
_Static_assert(INDEX_LIMIT <= 1u << INO_ENTRY_BITS, "entries fit");
_Static_assert(TOUCH_FOLDERS <= 1u << INO_ENTRY_BITS, "folders fit");
_Static_assert(TOUCHES_OF_ENTRY <= 1u << INO_NTH_BITS, "touches fit");
_Static_assert(KIND_ROOT == 1, "the kernel's number for the root");

/* Do files of this kind have their place's home number? */
static inline bool ino_is_home(enum node_kind kind)
{
	return kind <= KIND_IGNORE || kind == KIND_FORKS ||
	       kind == KIND_STAGED || kind == KIND_APPEND;
}

/* `place` is the number, not the place of the node. */
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

/* The number of a node. The session is entered, unless ino_is_home(). */
static inline uint64_t ino_of(const struct node *n)
{
	return ino_encode(ino_is_home(n->kind) ? n->place->home
					       : n->place->epoch_number,
			  n);
}

/* st_ino as stat(2) reports it: the same for all openings of a file. */
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

static inline enum node_kind ino_kind(uint64_t ino)
{
	return (enum node_kind)(ino & ((1u << INO_KIND_BITS) - 1));
}

/* The number of the same file of the entry so many after this one. */
static inline uint64_t ino_following(uint64_t ino, uint32_t by)
{
	const unsigned shift = INO_NTH_BITS + INO_KIND_BITS;
	const uint64_t mask = ((UINT64_C(1) << INO_ENTRY_BITS) - 1) << shift;
	return (ino & ~mask) | ((ino + ((uint64_t)by << shift)) & mask);
}

/*
 * Decode a number into *n without its place; false if it has no valid kind. The
 * caller checks that the place, whose number is *place, and the entry exist.
 */
static inline bool ino_decode(uint64_t ino, uint32_t *place, struct node *n)
{
	uint32_t start = ino_place(ino) * INO_PLACE_START;
	*place = ino_place(ino);
	n->kind = ino_kind(ino);
	ino >>= INO_KIND_BITS;
	n->nth = (uint32_t)(ino & ((1u << INO_NTH_BITS) - 1));
	ino >>= INO_NTH_BITS;
	n->entry = ((uint32_t)ino - start) & ((1u << INO_ENTRY_BITS) - 1);
	return n->kind > KIND_NONE && n->kind < KIND_COUNT;
}

#endif
