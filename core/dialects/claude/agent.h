/*
 * Has a running Claude Code a session open?
 *
 * If it has, a move of HEAD would be lost: the agent goes on from its own last
 * entry, and when it ends it appends that entry's last-prompt line. An agent
 * that is killed before that would come back at the moved HEAD, and its newest
 * turn would be on another branch.
 *
 * The agent writes a record of itself, sessions/PID.json, into its own folder
 * (~/.claude, or CLAUDE_CONFIG_DIR), which has the session's id, and removes it
 * when it ends. The session's path is projects/NAME/ID.jsonl in the same
 * folder. A record that an agent left behind when it was killed has the start
 * time of its process (procStart, in the unit of /proc/PID/stat), so that
 * another process with its pid is not taken for it.
 *
 * Not found: an agent whose record names a process of another pid namespace; an
 * old one with `-p` (2.1.120 has records of interactive sessions only); and one
 * that has opened a copy of the file elsewhere.
 *
 * Sources: 2.1.120, 2.1.197 and 2.1.330, interactively and with -p.
 */
#ifndef SESSFS_CLAUDE_AGENT_H
#define SESSFS_CLAUDE_AGENT_H

#include <sys/types.h>

#include "core/file/gate.h"

/*
 * The pid of a Claude Code that has the session at `path` open; 0 if none is
 * found; -errno if its records can't be read. `proc` is "/proc", except in
 * tests.
 */
pid_t claude_process_with(struct gate *g, const char *proc, const char *path);

#endif
