/*
 * Running oh-my-pis, as /proc shows them.
 *
 * A process is an oh-my-pi's if its program is bun or omp. It has a session
 * open if
 *
 *   - it has the session file open for writing. An omp opens it at its first
 *     append, and shuts it when it rewrites the file or goes to another one.
 *   - or it is the agent itself, its working directory is the session's, and it
 *     has no other session of the same folder open for writing. An omp that has
 *     only resumed a session has no descriptor yet, and can't be told from one
 *     that has resumed another session of its directory.
 *
 * The agent is a program called omp, names its process so (18.2.3 does), or is
 * known by the script that bun runs. Its workers have an argument
 * __omp_worker_*, and some live on without it.
 *
 * Not seen: an omp whose session's directory is gone, so that it runs
 * elsewhere, before its first append; processes of another pid namespace; and
 * those of other users, unless we are root. A process that can't be looked into
 * is passed over.
 *
 * Sources: omp 18.2.3 on bun, run; cli.ts of 18.2.3 and 18.3.4, read.
 */
#ifndef SESSFS_OMP_PROCESS_H
#define SESSFS_OMP_PROCESS_H

#include <sys/types.h>

/*
 * The pid of an oh-my-pi that has the session at `path`, whose directory is
 * `cwd` ("" for none), open; 0 if none is found. `proc` is "/proc", or a
 * test's.
 */
pid_t omp_process_with(const char *proc, const char *path, const char *cwd);

#endif
