/*
 * Has a running oh-my-pi a session open?
 *
 * If it has, other programs should not write. An omp from 18.2.3 on that
 * rewrites its file, and finds a size that it has not written, saves nothing
 * more until it ends. From 18.4.9 on it keeps foreign lines as a side branch,
 * and continues from its own leaf.
 *
 * It has if it holds the session's lease, or if a process of it is found in
 * /proc.
 *
 * The lease is a named lock (lock.h). An omp from 18.4.9 on acquires it at its
 * first write to a session, not when it opens it, and holds it until it ends or
 * leaves the session. Its path is DIR/.NAME.owner.lock, or, from 18.5.0 on,
 * ~/.omp/run/session-owners/ID.lock with the header's id. The kernel releases
 * it, so it is never stale.
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
 * and, unless sessfs runs as root, processes of other users.
 *
 * Sources: session-storage.ts and session-manager.ts after 18.5.0, which are
 * not on npm; omp 18.2.3 run on bun, which has no lease; cli.ts of 18.2.3 and
 * 18.3.4.
 */
#ifndef SESSFS_OMP_AGENT_H
#define SESSFS_OMP_AGENT_H

#include "core/json/json.h"
#include "core/session/session.h"

/*
 * The pid of an oh-my-pi that has the session at `path` open; 0 if none is
 * found; -errno (proc.h). `cwd` is the session's directory, or "". `proc` is
 * "/proc", except in tests.
 */
pid_t omp_process_with(struct gate *g, const char *proc, const char *path,
		       const char *cwd);

#endif
