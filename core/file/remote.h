/*
 * Files on filesystems that other machines write to: NFS, SMB, sshfs and such.
 *
 * Three things differ there. inotify(7) reports only changes by this machine.
 * The kernel and daemons such as sshfs cache attributes until the file is
 * opened. And a path may keep its inode number when the server replaces the
 * file, because sshfs numbers paths.
 */
#ifndef SESSFS_REMOTE_H
#define SESSFS_REMOTE_H

#include <stdbool.h>
#include <sys/stat.h>

struct gate;

/* Is an open file on such a filesystem? */
bool remote_is(int fd);

/* fstat(2), bypassing the kernel's attribute cache. 0 or -errno. */
int remote_stat(int fd, struct stat *st);

/*
 * Open the file at an absolute path and close it, so that the next stat(2)
 * returns the server's current attributes.
 */
void remote_refresh(struct gate *g, const char *path);

#endif
