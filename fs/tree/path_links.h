/*
 * The symlinks in path/, from the root to HEAD: NNNN-KIND[-WORDS]. Their names
 * are core/show/step_name.h, their numbers core/show/head_path.h.
 *
 * A link is found by its name, which is rendered again to compare it, or by its
 * number alone, which is not listed. The session is entered.
 */
#ifndef SESSFS_PATH_LINKS_H
#define SESSFS_PATH_LINKS_H

#include "core/session/session.h"

/*
 * Find the entry that a name in path/ links to. 0, -ENOENT, or the error of
 * reading the session; -EAGAIN as for render_file().
 */
int path_links_find(const struct session *s, struct span name, uint32_t *entry);

/*
 * The link with a number, from 1: 1 with its entry and its name (appended), 0
 * if HEAD is above it, or -errno as above.
 */
int path_links_get(const struct session *s, uint32_t number, struct buf *name,
		   uint32_t *entry);

#endif
