/*
 * The content of an entry as UTF-8 text, and the pictures in it.
 *
 *   text        unchanged
 *   thinking    after a line [thinking]
 *   tool call   a line [tool call] NAME, then its arguments (flat.h)
 *   picture     [image/png 12345 bytes: 1.png]
 *   no message  the entry's own fields as indented JSON
 *
 * Blocks are separated by an empty line, two text blocks by a line break. The
 * text ends with a newline unless it is empty. A result may be in a file beside
 * the session (dialect_outside); content_add() appends the file's text.
 *
 * Pictures are numbered from 1, in the order of the blocks, up to
 * PICTURE_LIMIT.
 */
#ifndef SESSFS_CONTENT_H
#define SESSFS_CONTENT_H

#include "core/session/block.h"
#include "core/session/dialect/outside.h"
#include "core/session/session.h"

/* The most pictures of an entry, less than PICTURES_UNKNOWN. */
#define PICTURE_LIMIT 16383

/* What the contents of all dialects may have besides; up to a zeroed row. */
extern const struct added_words content_adding[];

int content_add(const struct session *s, uint32_t entry, struct buf *out);

/*
 * The same, and count the lines. -EFBIG if there are LINES_UNKNOWN or more.
 */
int content_add_counted(const struct session *s, uint32_t entry,
			struct buf *out, uint32_t *lines);

/*
 * Has the content text of files beside the session? And the version of these
 * files; 0 if it has none.
 */
bool content_is_outside(const struct session *s, uint32_t entry);
uint64_t content_outside(const struct session *s, uint32_t entry);

/*
 * Is called for each block of a content, in their order, while the content is
 * appended. The block is the last thing in `out` then, from offset `at` on, as
 * UTF-8; of a BLOCK_RESULT there is nothing, because its blocks follow. A text
 * that is made of several fields is a BLOCK_TEXT without members, and fields as
 * JSON are a BLOCK_OTHER. `b` is valid until the call returns.
 */
struct content_blocks {
	void (*add)(struct content_blocks *to, const struct block *b,
		    size_t at);
};

/* As content_add(), but without files: it has the text in the session. */
int content_add_blocks(const struct session *s, uint32_t entry, struct buf *out,
		       struct content_blocks *to);

/*
 * The size of content_add()'s text and the number of its lines, and its
 * pictures, as the first call of content_add() stored them; false before. Sizes
 * and numbers that do not fit (core/session/index.h) are never stored. Safe to
 * call from several readers at once.
 */
bool content_knows_size(const struct session *s, uint32_t entry, uint64_t *size,
			uint32_t *lines);
bool content_knows_pictures(const struct session *s, uint32_t entry,
			    unsigned *n);

/* The number of pictures. Renders the text if the number is not known. */
int content_pictures(const struct session *s, uint32_t entry, unsigned *n);

/*
 * A picture's file name, such as "1.png", its size, and its bytes. -ENOENT if
 * there is no such picture, -ESTALE if it has changed. The first call for an
 * entry reads its line and caches all its pictures' names, sizes and places
 * (pictures.h). Until they are evicted, the next calls read at most the
 * picture.
 */
int content_picture_name(const struct session *s, uint32_t entry, unsigned n,
			 struct buf *out);
int content_picture_size(const struct session *s, uint32_t entry, unsigned n,
			 uint64_t *size);
int content_add_picture(const struct session *s, uint32_t entry, unsigned n,
			struct buf *out);

#endif
