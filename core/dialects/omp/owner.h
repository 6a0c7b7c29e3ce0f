/*
 * Has a running oh-my-pi a session open?
 *
 * From 18.2.3 on, an omp that rewrites its file and finds a size that it has
 * not written saves nothing more until it ends; from 18.4.9 on it keeps the
 * lines of others as a side branch, and goes on from its own leaf. Nobody else
 * should write meanwhile.
 *
 * It has if it holds the session's lease, or else if process.h finds it.
 *
 * The lease is a named lock (gate.h) that an omp from 18.4.9 on takes at its
 * first write to a session, not when it opens it, and keeps until it ends or
 * leaves the session. Its path is DIR/.NAME.owner.lock, and from 18.5.0 on
 * ~/.omp/run/session-owners/ID.lock, ID being the header's. The kernel frees
 * it: it is never stale.
 *
 * Sources: session-storage.ts and session-manager.ts after 18.5.0, read; they
 * are not on npm. 18.2.3 on bun, run, has no lease.
 */
#ifndef SESSFS_OMP_OWNER_H
#define SESSFS_OMP_OWNER_H

#include "core/json/json.h"
#include "core/session/session.h"

/* See in_use() in dialect.h. */
bool omp_in_use(const char *path, struct json header, struct refusal *refusal);

#endif
