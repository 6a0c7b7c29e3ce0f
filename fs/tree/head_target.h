/*
 * Resolving the target of a symlink that is to become HEAD to an entry
 * (sessfs-mount(7), H).
 *
 * The target is resolved inside the session, in any of these spellings:
 *
 *     by-id/ID  tree/…/ID  by-label/NAME  branches/ID-or-NAME  HEAD/parent
 *     path/NNNN  path/NNNN-…  (only the number counts)
 *     the same after the session's absolute path, or after the end of that path
 *     ID
 *     tree      before the first entry
 *
 * For an ID, a prefix of four characters or more does if only one id has it.
 * Leading "..", empty components, "." and a trailing /content are ignored.
 */
#ifndef SESSFS_HEAD_TARGET_H
#define SESSFS_HEAD_TARGET_H

#include "fs/tree/tree.h"

/*
 * Sets *entry (INDEX_NONE: before the first). -ENOENT if the target names no
 * entry, -EINVAL if its prefix fits several. The place's session is entered.
 */
int target_resolve(const struct tree *t, const struct place *at,
		   struct span target, uint32_t *entry);

/* The same, where `root` is the absolute path of the session in the mount. */
int target_resolve_below(const struct session *s, struct span target,
			 struct span root, uint32_t *entry);

/* Append what HEAD leads to: by-id/ID, or "tree". */
void target_add_head(const struct session *s, struct buf *out);

#endif
