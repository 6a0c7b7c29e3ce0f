/*
 * The locks under which oh-my-pi writes a session: whoever holds them appends
 * to the session file or replaces it, and no omp does so meanwhile. They are
 * taken in this order and given back in the other:
 *
 *   gate   the named lock (gate.h) on the path DIR/.NAME.lock.os.
 *   file   DIR/.NAME.lock, made with O_EXCL, holding "pid:ms\n": the owner, and
 *          when it took the lock. Removed on release.
 *
 * Each is tried every 2 ms, and waited for 500 ms at most.
 *
 * A lock file that its owner left behind is removed by the next to come: one
 * whose pid is no process (EPERM means that it is one), and one without a pid,
 * such as an empty one, that is older than 500 ms. It is read again just before
 * that, and has to be the same. Whatever else bears the name is left alone.
 *
 * Where omp goes further than that we don't: a symlink is never followed, a
 * pid is looked for in the first 64 bytes only, and the file is removed on
 * release only if it is still the one that we made.
 *
 * Not taken: a gate of the path DIR/NAME.lock, under which omp deletes a
 * session that has no messages yet, or writes the first one to it.
 *
 * Sources: FORMATS.md section 4 (which has the gate as a flock; it is none on
 * Linux); the session storage of omp 18.2.3, 18.2.9 and 18.3.4, which are the
 * same in this; and 18.2.3 itself under bun, for every rule above. 18.2.0 has
 * no locks.
 *
 * Pids and abstract sockets mean something within one pid and one network
 * namespace: across containers the locks hold no better than omp's.
 *
 * Errors are negative errno values.
 */
#ifndef SESSFS_OMP_LOCK_H
#define SESSFS_OMP_LOCK_H

#include <limits.h>

#include "core/dialects/omp/gate.h"

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
 * Take both locks of a session, for as short a time as can be: omp gives up
 * after 500 ms. The path is absolute and without ".", ".." or "//". omp hashes
 * the path as its user spelled it, with symlinks in it; where ours has them
 * resolved, the gates differ and the file alone keeps writers apart.
 *
 *   -EBUSY         another holds one of them, or what is in the lock file's
 *                  place can't be removed; a second has passed at most
 *   -EINVAL        no absolute path of a file
 *   -ENAMETOOLONG  no room for ".NAME.lock" in NAME_MAX, or for its path in
 *                  PATH_MAX: omp can't write such a session either
 *
 * or what opening the folder or making the file in it gives (-ENOENT, -EACCES,
 * -EROFS, -ENOSPC). Nothing is left behind, and there is nothing to release.
 */
int omp_lock_acquire(struct omp_lock *l, const char *session_path);

/* Give them back; by the process that took them. */
void omp_lock_release(struct omp_lock *l);

#endif
