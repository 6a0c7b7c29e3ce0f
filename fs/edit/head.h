/*
 * Moving HEAD with symlinks, as sessfs-mount(7) describes it (H).
 *
 * Programs do it in three ways, each a different series of requests:
 *
 *   - ln -sfn and os.replace: SYMLINK of a temporary name at the root, then
 *     RENAME of it to HEAD.
 *   - GNU ln -sf without -n follows HEAD: SYMLINK of the target's last part in
 *     the folder that HEAD points to. If that name is taken, SYMLINK of a
 *     temporary name there, then RENAME.
 *   - rm and ln -s, and busybox: UNLINK of HEAD, or of that name in the folder,
 *     then SYMLINK.
 *
 * The last request of each series appends to the session and moves HEAD. A
 * symlink before that is staged, if its target names an entry
 * (fs/edit/staged.h) until it moves HEAD or is unlinked.
 */
#ifndef SESSFS_HEAD_H
#define SESSFS_HEAD_H

#include "fs/edit/edit.h"

/*
 * The three requests; `dir` is the inode number of the folder. The session must
 * not be entered. 0 or -errno.
 *
 * head_symlink(): *made is the new symlink, whose place the caller puts back.
 */
int head_symlink(struct edit *e, uint64_t dir, const char *name,
		 const char *target, struct node *made);
int head_unlink(struct edit *e, uint64_t dir, const char *name);
int head_rename(struct edit *e, uint64_t dir, const char *name, uint64_t newdir,
		const char *newname, unsigned flags);

#endif
