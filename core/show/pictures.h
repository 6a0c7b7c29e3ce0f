/*
 * A cache of the places of pictures in their lines, a table a line.
 *
 * To find the pictures of a line, a reader scans all of it, and then keeps its
 * table here. After that, names and sizes come from the table, and a picture is
 * read without the rest of its line. The key is the line's offset, which is
 * unique while the file only grows. Tables are kept as derived.h says. The size
 * of a picture that is kept outside of the session is the size it had when the
 * line was scanned.
 *
 * At most PICTURES_SLOTS tables are kept, and PICTURES_BYTES in all. The least
 * recently used is evicted first. The newest stays, however large.
 *
 * Thread-safe: readers of a session share the cache, and get copies. Two that
 * scan the same line at once both keep a table; the later one stays.
 */
#ifndef SESSFS_PICTURES_H
#define SESSFS_PICTURES_H

#include <stdint.h>

#include "core/session/session.h"

#define PICTURES_SLOTS 32
#define PICTURES_BYTES ((size_t)1 << 20)

struct picture {
	uint64_t size;	    /* in bytes */
	uint32_t at;	    /* where in the line its data is, a JSON string */
	uint32_t length;    /* of that, with the quotes */
	char extension[16]; /* padded with NULs */
};

/*
 * The n-th picture, from 1, of the line at this offset: -ENOENT if it has
 * fewer, -EAGAIN if its table is not cached.
 */
int pictures_find(const struct session *s, uint64_t line, unsigned n,
		  struct picture *out);

/*
 * Keep a table: the bytes of *table are a struct picture for each picture of
 * the line. *table is moved, unless it is empty or can't be kept for lack of
 * memory.
 */
void pictures_keep(const struct session *s, uint64_t line, struct buf *table);

void pictures_forget(const struct session *s);

#endif
