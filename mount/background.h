/*
 * Going to the background: the parent waits until the child reports that the
 * mount answers, and exits with the child's status.
 *
 * Errors that the user can correct are reported before that. libfuse's own
 * fuse_daemonize() ends the parent before the kernel has its first answer.
 */
#ifndef SESSFS_BACKGROUND_H
#define SESSFS_BACKGROUND_H

/*
 * Fork. Returns 0 in the child, which writes one byte to *ready_fd when the
 * mount answers. The child has a session of its own, "/" as its working
 * directory, and /dev/null as its standard files. The parent does not return.
 * Returns -errno if the fork fails.
 */
int background_start(int *ready_fd);

#endif
