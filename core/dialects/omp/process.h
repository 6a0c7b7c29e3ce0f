/*
 * Finding processes of oh-my-pi in /proc.
 *
 * A process is oh-my-pi's if its program is bun or omp. It has a session open
 * if
 *
 *   - it has the session file open for writing. An omp opens it at its first
 *     append, and closes it when it rewrites the file or switches to another.
 *   - or it is the agent itself, its working directory is the session's, and it
 *     has no other session of the same folder open for writing. An omp that has
 *     only resumed a session has no descriptor yet, and looks like one that has
 *     resumed another session of its directory.
 *
 * A process is the agent if its program or its name is omp (18.2.3 sets the
 * name), or if bun runs the agent's script. Workers have an argument
 * __omp_worker_*, and some outlive the agent.
 *
 * Not found: before its first append, an omp that runs elsewhere because the
 * session's directory has been removed; processes in another pid namespace;
 * and, unless sessfs runs as root, processes of other users. A process that
 * can't be inspected is skipped.
 *
 * Sources: omp 18.2.3 run on bun; cli.ts of 18.2.3 and 18.3.4.
 */
#ifndef SESSFS_OMP_PROCESS_H
#define SESSFS_OMP_PROCESS_H

#include <sys/types.h>

struct gate;

/*
 * The pid of an oh-my-pi that has the session at `path` open; 0 if none is
 * found; -errno without a descriptor or memory to look. `cwd` is the session's
 * directory, or "". `proc` is "/proc", except in tests.
 */
pid_t omp_process_with(struct gate *g, const char *proc, const char *path,
		       const char *cwd);

#endif
