/*
 * What Codex (0.171.0) does with the file of a thread: which it opens, and
 * which one that runs has open.
 *
 * It refuses a rollout
 *
 *   - whose first line is no session_meta that it can decode, or follows a byte
 *     order mark, or has the id of another thread than the name of its file;
 *   - that goes on from a rollout which it does not find or can't use;
 *   - of a legacy thread, if any byte of it is not UTF-8;
 *   - of a paginated thread, if the last line that it can decode has no
 *     ordinal.
 *
 * Other lines that it can't decode it skips (line.h).
 *
 * It holds flock(2) on $CODEX_HOME/thread-writer-locks/ID.lock while it has the
 * thread with that id open. With the background server that a terminal starts
 * unless `daemon_auto_start` is off, that is a minute longer than the terminal.
 * /proc/locks lists such locks. To try to take the lock instead could keep an
 * agent from starting.
 *
 * Not found: an agent in another pid namespace, or on another machine.
 */
#ifndef SESSFS_CODEX_AGENT_H
#define SESSFS_CODEX_AGENT_H

#include "core/session/dialect.h"

/* What the decoder misses in a session_meta's payload, for people; or NULL. */
const char *codex_meta_fault(struct json payload);

/* dialect_agent.process(); another `proc` is read in tests. */
pid_t codex_process_with(struct gate *g, const char *proc, const char *path);

#endif
