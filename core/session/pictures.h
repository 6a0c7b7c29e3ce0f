/*
 * Where the pictures of a line are: tables of the lines used last.
 *
 * To find the pictures of a line takes a walk over all of it. Who has walked
 * keeps what was found here, so that the next picture's name and size touch no
 * line, and its bytes only its own part. A line is known by its offset in the
 * file, which says which line it is for as long as the file only grows; when it
 * is read again from the start the session forgets them all. A picture that is
 * kept outside of the session is as large as it was when the line was walked.
 *
 * There are PICTURES_SLOTS tables at most. What was used longest ago goes
 * first, also when they take more than PICTURES_BYTES together; the newest
 * stays, however large (content.h: PICTURE_LIMIT).
 *
 * Thread-safe, for readers of a session beside each other: the lock is held for
 * a look into the tables only, never while anything is read or rendered, and
 * nothing that is given out is borrowed. Two readers may walk the same line at
 * once and keep the same twice; the later table counts.
 */
#ifndef SESSFS_PICTURES_H
#define SESSFS_PICTURES_H

#include <stdint.h>

#include "core/base/buf.h"

#define PICTURES_SLOTS 32
#define PICTURES_BYTES ((size_t)1 << 20)

struct picture {
	uint64_t size;	    /* of its bytes */
	uint32_t at;	    /* where in the line its data is, a JSON string */
	uint32_t length;    /* of that, with the quotes */
	char extension[16]; /* with NULs behind it, where it is shorter */
};

struct pictures;

/* NULL without memory. */
struct pictures *pictures_new(void);
void pictures_free(struct pictures *p);

/*
 * The n-th picture, from 1, of the line at this offset: -ENOENT if it has
 * fewer, -EAGAIN if its table is not here (any more).
 */
int pictures_find(struct pictures *p, uint64_t line, unsigned n,
		  struct picture *out);

/*
 * Keep a table: all pictures of the line, each a struct picture in *table
 * (taken: it is empty afterwards). An empty one is not kept.
 */
void pictures_keep(struct pictures *p, uint64_t line, struct buf *table);

/* For when what was found may not hold: all tables go. */
void pictures_forget(struct pictures *p);

#endif
