/*
 * `meta`: "key: value" lines about an entry, one for each thing that it has.
 */
#ifndef SESSFS_META_H
#define SESSFS_META_H

#include "core/session/session.h"

/* A value as a string template has it; nothing for null or none. */
void meta_add_value(struct buf *out, struct json v);

/* What an entry is, in a word: its role, if that is a string, else its type. */
void meta_add_kind(struct buf *out, struct json role, struct json type);

int meta_add(const struct session *s, uint32_t entry, struct buf *out);

#endif
