/*
 * Going to the background: the parent stays until the child says that the mount
 * answers, and leaves with the child's verdict.
 *
 * Everything that can fail for the user's reasons has happened before.
 * Libfuse's own fuse_daemonize() lets the parent go before the kernel has been
 * answered.
 */
#ifndef SESSFS_BACKGROUND_H
#define SESSFS_BACKGROUND_H

/*
 * Fork. The child returns 0, with a descriptor to which it writes one byte when
 * it is ready; it is a session of its own, in "/", with its standard files on
 * /dev/null. The parent does not return. -errno if there is no child.
 */
int background_start(int *ready_fd);

#endif
