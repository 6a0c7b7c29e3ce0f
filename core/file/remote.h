/*
 * Files on filesystems that other machines write to: NFS, SMB, sshfs and such.
 *
 * Three things differ there. inotify(7) reports what this machine does and
 * nothing else. Attributes are cached, by the kernel and by daemons such as
 * sshfs, until the file is opened. And a path may keep its inode number when
 * the server puts another file there, because sshfs numbers paths.
 */
#ifndef SESSFS_REMOTE_H
#define SESSFS_REMOTE_H

#include <stdbool.h>
#include <sys/stat.h>

/* Is an open file on such a filesystem? */
bool remote_is(int fd);

/*
 * Did an open or a stat fail (-errno) because the server can't be reached? That
 * says nothing about the file.
 */
bool remote_is_unreachable(int err);

/* fstat(2), past the attributes that the kernel has cached: 0 or -errno. */
int remote_stat(int fd, struct stat *st);

/*
 * Open the file at an absolute path and close it, so that the next stat(2)
 * finds what the server has now.
 */
void remote_refresh(const char *path);

#endif
