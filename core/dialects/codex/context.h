/*
 * The context of an entry: the items that Codex (0.169.0) posts as `input` when
 * it resumes a thread whose last line is the entry's.
 *
 *   1. The newest compaction on the path that has a list (replacement_history),
 *      and is not void by a rollback, replaces all before it by that list.
 *   2. After it, the items of the path follow, and messages between agents as
 *      agent_message items. Messages of the role "system", and items of types
 *      that the agent does not know, are not sent.
 *   3. A compaction without a list leaves the messages of the user, of which
 *      the newest 20,000 tokens (of four bytes), and adds its own text as one.
 *   4. A call without an output gets one after it: "aborted", or no tools for
 *      a search of tools. If the call has an id, the output has one that is
 *      derived from it. Outputs without a call are dropped. One of a kind
 *      counts wherever it stands.
 *
 * The agent puts its base instructions before these items, and what is new of
 * its surroundings after them. Neither is in the file, or here.
 */
#ifndef SESSFS_CODEX_CONTEXT_H
#define SESSFS_CODEX_CONTEXT_H

#include "core/session/dialect.h"

/* See dialect.h. */
int codex_context(const struct session *s, const struct path *p,
		  struct messages *to);

#endif
