/*
 * A branch of a Codex thread as a rollout of its own, of a new thread, which
 * `codex resume` opens.
 *
 * In a paginated thread that is one line: a session_meta whose history_base is
 * the rollout that has the entry, up to the entry's line. That rollout has to
 * stay. In a legacy thread, in a file whose name has no rollout's id, and at a
 * last line without a newline, behind which the agent would make no cut, it is
 * all lines up to the entry's that are JSON, with a session_meta of the new
 * thread.
 *
 * The new thread's id is derived from the old one's and the entry's id, so that
 * it is the same each time.
 */
#ifndef SESSFS_CODEX_BRANCH_H
#define SESSFS_CODEX_BRANCH_H

#include "core/session/session.h"

int codex_branch(const struct session *s, uint32_t entry, unsigned nth,
		 struct buf *out);

#endif
