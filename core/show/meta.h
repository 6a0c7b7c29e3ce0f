/*
 * `meta`: "key: value" lines about an entry. A line is left out if the entry
 * has no such value.
 */
#ifndef SESSFS_META_H
#define SESSFS_META_H

#include "core/session/session.h"

/* Append `${v}`; nothing if v is null or absent. */
void meta_add_value(struct buf *out, struct json v);

/* Append an entry's role if that is a string, else its type. */
void meta_add_kind(struct buf *out, struct json role, struct json type);

int meta_add(const struct session *s, uint32_t entry, struct buf *out);

#endif
