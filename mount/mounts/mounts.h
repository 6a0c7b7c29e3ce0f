/*
 * The mounts that `sessfs open` makes, in $XDG_RUNTIME_DIR/sessfs if that
 * lasts for the login, else in /tmp/sessfs-UID:
 *
 *     wc-pi-01a21645/    a mount: project, agent and id of the session
 *     all/               that of all agents' folders
 *     .mounts/NAME       what the mount NAME is of: options, and the file
 *     +home+me+wc/last   a link to the mount that open last printed for a
 *                        working directory
 *     lock               held while any of that changes
 *
 * A session with the same options always has the same mount. Of another session
 * or other options it would be NAME-2.
 *
 * Functions return an exit status after reporting errors, unless they say
 * otherwise. Paths are the caller's to free.
 */
#ifndef SESSFS_MOUNTS_H
#define SESSFS_MOUNTS_H

#include "core/base/buf.h"

/*
 * The path of the mount of a session file with these options of -o, which may
 * be empty. It is mounted unless it is already. MOUNTS_ALL stands for the
 * folders of all agents; no file is called that.
 */
#define MOUNTS_ALL "--all"
int mounts_open(const char *file, const char *options, char **mnt);

/* Remember a mount for a working directory, an absolute path. */
int mounts_remember(const char *dir, const char *mnt);

/*
 * What was remembered last, if it is still mounted: 0, or -errno without a
 * report; -ENOENT if there is none.
 */
int mounts_last(const char *dir, char **mnt);

/* Unmount all of them, and print their paths. */
int mounts_close(void);

/* Print a line for each: its path, its session file and its options. */
int mounts_print(void);

/*
 * Append the folder of all mounts. It need not exist, and mounts_is_safe()
 * tells whether nobody else can write there.
 */
void mounts_add_base(struct buf *out);
bool mounts_is_safe(const char *base);

/*
 * The same; it is made if it is not there. -EPERM: somebody else may write
 * there; or -ENOMEM.
 */
int mounts_make_base(struct buf *out);

/* Append the folder of what was remembered for a directory, in that base. */
void mounts_add_place(struct buf *out, const char *base, const char *dir);

#endif
