/* The entries above a leaf, for settings: the last one that sets them counts.
 */
#ifndef SESSFS_ABOVE_H
#define SESSFS_ABOVE_H

#include "core/session/session.h"

/*
 * Read the entries of some types (ENTRY_BIT()s) from a leaf upwards, the leaf
 * included, until read() returns true, or `top` was reached (INDEX_NONE: the
 * root). read() appends to `out`. 0 or -errno.
 */
int above_read(const struct session *s, uint32_t leaf, uint32_t top,
	       uint32_t types, bool (*read)(struct buf *out, struct json entry),
	       struct buf *out);

#endif
