/*
 * oh-my-pi's named locks. A lock is an abstract unix datagram socket whose name
 * is "omp-file-lock-" and two XXH64 in 16 hex digits each of a path. No file
 * with that path exists. The kernel frees the name when its holder ends.
 *
 * Abstract names belong to a network namespace: locks in other ones are not
 * found.
 *
 * Sources: pi-natives of omp 18.2.3 and later (file_lock).
 */
#ifndef SESSFS_OMP_NAMED_LOCK_H
#define SESSFS_OMP_NAMED_LOCK_H

#include <sys/socket.h>
#include <sys/un.h>

/* Set the address of the lock on a path. Returns its length, for bind(2). */
socklen_t omp_named_lock_address(struct sockaddr_un *address, const char *path);

/*
 * Does a process hold the lock on a path? 1 or 0; -errno if no socket can be
 * made. The test connects to the lock's socket and never binds it, because an
 * omp that finds its lock held continues in another file.
 */
int omp_named_lock_is_held(const char *path);

#endif
