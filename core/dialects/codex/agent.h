/*
 * Has a running Codex a thread open?
 *
 * The agent (0.169.0) holds flock(2) on $CODEX_HOME/thread-writer-locks/ID.lock
 * while it has the thread with that id open. /proc/locks lists such locks. To
 * try to take the lock instead could keep an agent from starting.
 *
 * Not found: an agent in another pid namespace, or on another machine.
 */
#ifndef SESSFS_CODEX_AGENT_H
#define SESSFS_CODEX_AGENT_H

#include <sys/types.h>

struct gate;

/*
 * The function of struct dialect. codex_process_with() reads another `proc` in
 * tests.
 */
pid_t codex_process(struct gate *g, const char *path);
pid_t codex_process_with(struct gate *g, const char *proc, const char *path);

#endif
