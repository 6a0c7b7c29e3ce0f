/*
 * Unmounting what sessfs has mounted.
 */
#ifndef SESSFS_UNMOUNT_H
#define SESSFS_UNMOUNT_H

#include <stdbool.h>

/* Is it the mount of a daemon that has died? */
bool unmount_is_dead(const char *mnt);

/*
 * Unmount, at once even if it is in use if it is `lazy`. Exit status, after
 * reporting why it can't be, and the `cause` for which it had to be, or NULL.
 */
int unmount(const char *mnt, const char *cause, bool lazy);

#endif
