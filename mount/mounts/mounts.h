/*
 * The mounts that `sessfs open` makes, in the folder of mount_base.h. A session
 * with the same options always has the same mount. Of another session or other
 * options it would be NAME-2.
 *
 * Functions return an exit status after reporting errors, unless they say
 * otherwise. Paths are the caller's to free.
 */
#ifndef SESSFS_MOUNTS_H
#define SESSFS_MOUNTS_H

/*
 * The path of the mount of a session file with these options of -o, which may
 * be empty. It is mounted unless it is already. MOUNTS_ALL stands for the
 * folders of all agents; no file is called that.
 */
#define MOUNTS_ALL "--all"
int mounts_open(const char *file, const char *options, char **mnt);

/* Unmount all of them, and print their paths. */
int mounts_close(void);

/* Print a line for each: its path, its session file and its options. */
int mounts_print(void);

/* -- mount_base.c */

/*
 * Remember a mount for a working directory, an absolute path; or the file of a
 * session that is not mounted.
 */
int mounts_remember(const char *dir, const char *mnt);

/*
 * What was remembered last, if it is still mounted, or there: 0, or -errno
 * without a report; -ENOENT if there is none.
 */
int mounts_last(const char *dir, char **mnt);

/*
 * Remember where the HEAD of the session in a file was before it was moved. A
 * session without a place to remember it in is moved all the same.
 */
void mounts_remember_head(const char *file, const char *was);

/* What was remembered last, or NULL. */
char *mounts_head_before(const char *file);

#endif
