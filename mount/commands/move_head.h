/*
 * Moving HEAD of a mounted session, as ln -sfn does it: a link under another
 * name, which is renamed.
 */
#ifndef SESSFS_MOVE_HEAD_H
#define SESSFS_MOVE_HEAD_H

/*
 * Returns an exit status, after reporting why it was refused: the reason that
 * the mount has, or the system's.
 */
int move_head(const char *root, const char *target);

#endif
