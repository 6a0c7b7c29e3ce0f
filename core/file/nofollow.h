/*
 * Opening by an absolute path in which nothing may be a symlink.
 *
 * The links in a session's path are resolved when it is mounted. A folder on
 * the way that is exchanged for a link afterwards must not lead to another
 * file, to be shown or written to.
 *
 * Every component is opened in the one before it, which does what openat2(2)
 * does with RESOLVE_NO_SYMLINKS; but on every kernel, and under valgrind.
 *
 * A descriptor, with O_CLOEXEC, or -errno: -ENOTDIR where a folder is a link,
 * -ELOOP where the file is one, -EINVAL for a path that is not absolute.
 */
#ifndef SESSFS_NOFOLLOW_H
#define SESSFS_NOFOLLOW_H

#include <errno.h>
#include <stdbool.h>

/*
 * Did an open fail because the process, or the machine, has no descriptor left?
 * That says nothing about the file.
 */
static inline bool nofollow_is_shortage(int err)
{
	return err == -EMFILE || err == -ENFILE;
}

/* No O_CREAT: what is made is made in a folder that is open. */
int nofollow_open(const char *path, int flags);

struct stat;

/* What is at the path, which may be a link itself: 0 or -errno. */
int nofollow_stat(const char *path, struct stat *st);

/* The folder of a file, with O_PATH. There need not be such a file. */
int nofollow_open_folder(const char *path);

/* The file's name in it: what follows the last slash. */
const char *nofollow_name(const char *path);

#endif
