/* The model and the thinking level that are set on the way to an entry. */
#ifndef SESSFS_SETTINGS_H
#define SESSFS_SETTINGS_H

#include "core/session/session.h"

/*
 * Append those at a leaf, if the dialect knows them (dialect_telling). 0 or
 * -errno.
 */
int settings_at(const struct session *s, uint32_t leaf, struct buf *model,
		struct buf *thinking);

#endif
