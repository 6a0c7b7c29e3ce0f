/*
 * oh-my-pi's locks.
 *
 * A named lock is an abstract unix datagram socket whose name is
 * "omp-file-lock-" and two XXH64 in 16 hex digits each of a path. No file with
 * that path exists. The kernel frees the name when its holder ends.
 *
 * The agent appends to a session file or replaces it under two locks. They are
 * acquired in this order and released in reverse:
 *
 *   gate   the named lock on the path DIR/.NAME.lock.os.
 *   file   DIR/.NAME.lock, created with O_EXCL, with "pid:ms\n": the owner and
 *          the time of the lock. Removed on release.
 *
 * Each is tried every 2 ms, for at most 500 ms.
 *
 * A stale lock file is removed: one whose pid is not a process (EPERM means
 * that it is), and one without a pid that is older than 500 ms. The file is
 * read again just before, and must be the same. Anything else of that name
 * stays.
 *
 * Besides, sessfs removes one whose time is from before the machine started.
 * omp does not: after a power cut it gives up as long as any process has the
 * pid.
 *
 * sessfs does less than omp in three cases: it never follows a symlink, looks
 * for a pid in the first 64 bytes only, and on release removes the file only if
 * it is the one that it created.
 *
 * Not acquired: the gate on the path DIR/NAME.lock, under which omp deletes a
 * session without messages, or writes the first message to it.
 *
 * Sources: the session storage of omp 18.2.3, 18.2.9 and 18.3.4, which agree
 * here, and 18.2.3 run on bun, for every rule above; pi-natives of 18.2.3 and
 * later (file_lock). 18.2.0 has no locks.
 *
 * Pids belong to one pid namespace, abstract sockets to one network namespace:
 * across containers the locks protect no better than omp's own.
 *
 * Errors are negative errno values.
 */
#ifndef SESSFS_OMP_LOCK_H
#define SESSFS_OMP_LOCK_H

#include <limits.h>
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

/* All of it is private. */
struct omp_lock {
	struct sockaddr_un address; /* the gate's */
	socklen_t address_length;
	char name[NAME_MAX + 1]; /* the lock file's, in the folder */
	int folder;
	int gate;
	int file;
};

/*
 * Acquire both locks of a session. The caller holds them for as short a time as
 * it can: omp gives up after 500 ms. The path is absolute and without ".", ".."
 * or "//". omp hashes the path as its user spelled it, with symlinks. If ours
 * has them resolved, the gates differ, and only the file excludes writers.
 *
 *   -EBUSY         another process holds a lock, or the lock file can't be
 *                  removed; at most a second has passed
 *   -EINVAL        not an absolute path of a file
 *   -ENAMETOOLONG  no room for ".NAME.lock" in NAME_MAX, or for its path in
 *                  PATH_MAX: omp can't write such a session either
 *
 * or the error of opening the folder or creating the file (-ENOENT, -EACCES,
 * -EROFS, -ENOSPC). Then no lock is held.
 */
int omp_lock_acquire(struct omp_lock *l, const char *session_path);

/* Release them. The caller is the process that acquired them. */
void omp_lock_release(struct omp_lock *l);

/* The same for struct dialect_agent. */
int omp_lock_session(const char *path, void **held);
void omp_unlock_session(void *held);

#endif
