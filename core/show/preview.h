/*
 * An entry in a few words, for lines of tree.txt and tree.html: what it is, and
 * the start of what it says, on one line.
 */
#ifndef SESSFS_PREVIEW_H
#define SESSFS_PREVIEW_H

#include "core/base/columns.h"
#include "core/session/session.h"

/* Append a text on one line: what is no printing character is one space. */
void preview_add_plain(struct buf *out, struct span text);

/* Append its role, else its type, as UTF-8 of at most `most` columns. */
void preview_add_kind(const struct session *s, struct buf *out,
		      struct json entry, const struct columns *c, size_t most);

/*
 * Append the start of what it says, as UTF-8 on one line and trimmed: of blocks
 * those that it takes to have `enough` bytes; tools and pictures by name.
 */
void preview_add(const struct session *s, struct buf *out, struct json entry,
		 size_t enough);

#endif
