/*
 * The symlinks in path/, from the root to HEAD (core/show/step_name.h). The
 * session is entered.
 */
#ifndef SESSFS_PATH_LINKS_H
#define SESSFS_PATH_LINKS_H

#include "core/session/session.h"

/*
 * Find one by its name, which is rendered again to compare it, or by its number
 * alone, which is not listed: 0 with its entry, -ENOENT, or the error of
 * reading the session; -EAGAIN as for render_file().
 */
int path_links_find(const struct session *s, struct span name, uint32_t *entry);

/*
 * The one with a number, from 1: 1 with its entry and its name (appended), 0 if
 * HEAD is above it, or an error.
 */
int path_links_get(const struct session *s, uint32_t number, struct buf *name,
		   uint32_t *entry);

#endif
