/*
 * What a HEAD target means (DESIGN.md, "HEAD").
 *
 * The target is resolved inside the session, whatever its spelling:
 *
 *     by-id/ID  tree/…/ID  by-label/NAME  branches/ID-or-NAME  HEAD/parent
 *     the same behind the session's absolute path, or the end of it
 *     ID, or the first four characters or more of one, if only one has them
 *     tree      before the first entry
 *
 * Leading "..", empty components, "." and a trailing /content do not matter.
 */
#ifndef SESSFS_TARGET_H
#define SESSFS_TARGET_H

#include "core/session/session.h"

/*
 * `root` is the absolute path of the session's folder in the mount. Gives the
 * entry (INDEX_NONE: before the first); -ENOENT if nothing is named, -EINVAL if
 * several are.
 */
int target_resolve(const struct session *s, struct span target,
		   struct span root, uint32_t *entry);

#endif
