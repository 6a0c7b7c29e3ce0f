/*
 * The kind of an entry and the start of its content on one line, for tree.txt
 * and tree.html.
 */
#ifndef SESSFS_PREVIEW_H
#define SESSFS_PREVIEW_H

#include "core/base/columns.h"
#include "core/session/session.h"

/* Append a text on one line. Runs of unprintable characters become a space. */
void preview_add_plain(struct buf *out, struct span text);

/* Append the role, else the type, as UTF-8 of at most `most` columns. */
void preview_add_kind(const struct session *s, struct buf *out,
		      struct json entry, const struct columns *c, size_t most);

/*
 * Append the start of the content, as trimmed UTF-8 on one line: blocks are
 * added until it has `enough` bytes. Tool calls and pictures are named only.
 */
void preview_add(const struct session *s, struct buf *out, struct json entry,
		 size_t enough);

#endif
