/*
 * Has a running agent a session open? Then a move of HEAD would be lost: it
 * goes on from its own last entry. Claude Code, when it ends, also appends that
 * entry's last-prompt line; one that is killed before that would come back at
 * the moved HEAD, and its newest turn would be on another branch.
 *
 * Claude Code and Qwen Code write a record of themselves, sessions/PID.json or
 * sessions/PID-HEX.json, into their own folder, which has the session's id, and
 * remove it when they end. The session's path is below projects/ in the same
 * folder. A record that an agent left behind when it was killed has the start
 * time of its process (procStart, in the unit of /proc/PID/stat, which Qwen
 * Code puts behind the machine's boot id and a colon), so that another process
 * with its pid is not taken for it.
 *
 * Not found: an agent whose record names a process of another pid namespace; an
 * old Claude Code with `-p` (2.1.120 has records of interactive sessions only);
 * and one that has opened a copy of the file elsewhere.
 *
 * Sources: Claude Code 2.1.120, 2.1.197 and 2.1.330, interactively and with -p;
 * Qwen Code 0.24.4.
 */
#ifndef SESSFS_PROCESS_H
#define SESSFS_PROCESS_H

#include <sys/types.h>

#include "core/file/gate.h"

struct dialect_agent;

/* The agent's folder, which a session's path is so many folders below. */
struct span process_agent_folder(struct span path, unsigned depth);

/*
 * The pid of an agent that has the session at `path` open; 0 if none is found;
 * -errno if its records can't be read. `depth`: see above. `proc` is "/proc",
 * except in tests.
 */
pid_t process_with(struct gate *g, const char *proc, const char *path,
		   unsigned depth);

/*
 * The same of the agent: as it tells, or by its records. 0 without either. Asks
 * no mount.
 */
pid_t process_of(const struct dialect_agent *a, struct gate *g,
		 const char *path);

#endif
