/*
 * What an entry says, as UTF-8 text, and the pictures in it (DESIGN.md,
 * "content").
 *
 *   text        as it is
 *   thinking    under a line [thinking]
 *   tool call   under a line [tool call] NAME: its arguments (flat.h)
 *   picture     [image/png 12345 bytes: 1.png]
 *   no message  the entry's own fields as indented JSON
 *
 * An empty line stands between blocks of different kinds; text blocks that
 * follow each other begin new lines. What is not empty ends with a newline.
 *
 * Pictures are numbered from 1, in the order of the blocks, up to
 * PICTURE_LIMIT.
 */
#ifndef SESSFS_CONTENT_H
#define SESSFS_CONTENT_H

#include "core/session/session.h"

/* The most pictures of an entry, less than PICTURES_UNKNOWN. */
#define PICTURE_LIMIT 32767

int content_add(const struct session *s, uint32_t entry, struct buf *out);

/*
 * The size of content_add()'s text and the number of pictures, if they are
 * known: after the first time. Safe to call from several readers at once.
 */
bool content_knows_size(const struct session *s, uint32_t entry,
			uint64_t *size);
bool content_knows_pictures(const struct session *s, uint32_t entry,
			    unsigned *n);

/* The number of pictures; makes the text if it has to. */
int content_pictures(const struct session *s, uint32_t entry, unsigned *n);

/*
 * A picture's file name, "1.png", its size, and its bytes: -ENOENT if there is
 * none. The first of an entry costs its line; what it finds out of all of them
 * is kept a while (pictures.h), and then names and sizes cost nothing, and
 * bytes what they are. -ESTALE if they have changed since.
 */
int content_picture_name(const struct session *s, uint32_t entry, unsigned n,
			 struct buf *out);
int content_picture_size(const struct session *s, uint32_t entry, unsigned n,
			 uint64_t *size);
int content_add_picture(const struct session *s, uint32_t entry, unsigned n,
			struct buf *out);

#endif
