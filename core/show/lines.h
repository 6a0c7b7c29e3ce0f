/*
 * The lines of entries' contents, each behind its path, as `grep -n ''` prints
 * them over the files in by-id/:
 *
 *     by-id/9f3c1a2b/content:1:Count the words.
 *
 * An empty content has no lines.
 *
 * lines.txt has the lines of all entries. A few offsets of
 * entries in it are kept (derived.h), so that the file of a million entries has
 * an exact size and can be read anywhere without being rendered.
 */
#ifndef SESSFS_SHOW_LINES_H
#define SESSFS_SHOW_LINES_H

#include "core/session/session.h"

/* Append the lines of an entry. 0 or -errno, as of content_add(). */
int lines_add(const struct session *s, uint32_t entry, struct buf *out);

/*
 * The size of lines_add()'s text. Renders the content if its size is not known.
 */
int lines_size(const struct session *s, uint32_t entry, uint64_t *size);

/*
 * Find the entry that has the byte at an offset of lines.txt, and where the
 * entry's lines begin; or, at its end, the number of entries, and its size. The
 * first call in an epoch renders all contents whose sizes are not known, on all
 * processors. Other callers wait for it.
 */
int lines_find(const struct session *s, uint64_t offset, uint32_t *entry,
	       uint64_t *start);

#endif
