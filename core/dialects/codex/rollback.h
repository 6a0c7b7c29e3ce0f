/*
 * What a rollback takes back: thread_rolled_back {num_turns: n}, a line of
 * legacy threads.
 *
 *   - The conversation loses its last n turns. They stay as a branch: what
 *     follows hangs on the entry before them.
 *   - A turn begins with a message of the user that is none of the harness's
 *     notes (fragment.h), or of another agent. So does a compaction without a
 *     list, which is sent as a message of the user.
 *   - The notes right before a turn go with it. Before the conversation's first
 *     turn they stay.
 *   - A compaction with a list begins the conversation. A rollback of more
 *     turns than follow it takes it back, and counts on above it.
 *
 * The last rule, and that nothing is left of what a compaction without a list
 * was made of, is simpler than the agent: 0.171.0 makes compactions void by
 * tasks, not by turns, and cuts into what one without a list has left.
 */
#ifndef SESSFS_CODEX_ROLLBACK_H
#define SESSFS_CODEX_ROLLBACK_H

#include "core/session/session.h"

/* Take back n turns: sets the tip (struct codex). Reads them. 0 or -errno. */
int codex_roll_back(struct session *s, uint64_t n);

#endif
