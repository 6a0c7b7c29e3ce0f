/*
 * `meta`: "key: value" lines about an entry, one for each thing that it has.
 */
#ifndef SESSFS_META_H
#define SESSFS_META_H

#include "core/session.h"

int meta_add(const struct session *s, uint32_t entry, struct buf *out);

#endif
