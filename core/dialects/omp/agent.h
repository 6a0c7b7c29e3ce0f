/*
 * Has a running oh-my-pi a session open?
 *
 * If it has, other programs should not write. An omp from 18.2.3 on that
 * rewrites its file, and finds a size that it has not written, saves nothing
 * more until it ends. From 18.4.9 on it keeps foreign lines as a side branch,
 * and continues from its own leaf.
 *
 * It has if it holds the session's lease, or if process.h finds it.
 *
 * The lease is a named lock (named_lock.h). An omp from 18.4.9 on acquires it
 * at its first write to a session, not when it opens it, and holds it until it
 * ends or leaves the session. Its path is DIR/.NAME.owner.lock, or, from 18.5.0
 * on, ~/.omp/run/session-owners/ID.lock with the header's id. The kernel
 * releases it, so it is never stale.
 *
 * Sources: session-storage.ts and session-manager.ts after 18.5.0, which are
 * not on npm; 18.2.3 run on bun, which has no lease.
 */
#ifndef SESSFS_OMP_AGENT_H
#define SESSFS_OMP_AGENT_H

#include "core/json/json.h"
#include "core/session/session.h"

/* See dialect_agent.in_use(). */
int omp_in_use(struct gate *g, const char *path, struct json header,
	       struct refusal *refusal);

#endif
