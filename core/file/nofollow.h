/*
 * Opening files by an absolute path without symlinks.
 *
 * The symlinks in a session's path are resolved when it is mounted. If a folder
 * of the path is replaced by a symlink afterwards, no other file must be shown
 * or written to.
 *
 * Each component is opened in the one before it, through the gate
 * (core/file/gate.h; NULL: there is none). That is RESOLVE_NO_SYMLINKS of
 * openat2(2), on every kernel and under valgrind.
 *
 * Descriptors have O_CLOEXEC. Errors are -ENOTDIR if a folder is a symlink,
 * -ELOOP if the file is one, or if the gate refuses a component, -EINVAL if the
 * path is not absolute.
 */
#ifndef SESSFS_NOFOLLOW_H
#define SESSFS_NOFOLLOW_H

#include <dirent.h>

struct gate;
struct stat;

/* Without O_CREAT: to create a file, open its folder. */
int nofollow_open(struct gate *g, const char *path, int flags);

/* opendir(3): 0 and *dir, which the caller closes, or -errno. */
int nofollow_open_dir(struct gate *g, const char *path, DIR **dir);

/* lstat(2). The last component may be a symlink. */
int nofollow_stat(struct gate *g, const char *path, struct stat *st);

/* Open the folder of a file with O_PATH. The file need not exist. */
int nofollow_open_folder(struct gate *g, const char *path);

/* The part of a path after the last slash. */
const char *nofollow_name(const char *path);

#endif
