/*
 * `meta`: "key: value" lines about an entry. A line is left out if the entry
 * has no such value.
 */
#ifndef SESSFS_META_H
#define SESSFS_META_H

#include "core/session/block.h"
#include "core/session/session.h"

/* Append `${v}`; nothing if v is null or absent. */
void meta_add_value(struct buf *out, struct json v);

/*
 * Append the value at the first of these paths where it is not empty. Paths are
 * names with dots between them (json_at()), with bars between paths; of a value
 * behind "?" it is told whether it is true, as "yes" or nothing:
 *
 *     "?message.isError|message.errorMessage"
 */
void meta_add_at(struct buf *out, struct json v, const char *paths);

/* Append the value of the row of that key; nothing if there is no such row. */
void meta_add_row(const struct dialect *d, const char *key, struct buf *out,
		  struct json entry);

/* Append an entry's role if that is a string, else its type. */
void meta_add_kind(struct buf *out, struct json role, struct json type);

/* Append the names of calls, or the calls of results, in a list of blocks. */
void meta_add_tools(struct buf *out, block_reader *read, struct json blocks);

/* Append "yes" if a result in a list of blocks is an error. */
void meta_add_error(struct buf *out, block_reader *read, struct json blocks);

int meta_add(const struct session *s, uint32_t entry, struct buf *out);

#endif
