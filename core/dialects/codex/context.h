/*
 * The context of an entry: the items that Codex (0.171.0) posts as `input` when
 * it resumes a thread whose last line is the entry's.
 *
 *   1. The newest compaction on the path that has a list (replacement_history)
 *      replaces all before it by that list.
 *   2. A compaction without a list after it leaves messages of the user
 *      (local_compaction.h).
 *   3. The items of the path follow, and messages between agents as
 *      agent_message items. Messages of the role "system", items of types that
 *      the agent does not know, and lines that it can't decode are not sent.
 *   4. Outputs without a call are dropped, and calls without an output get one
 *      (calls.h).
 *
 * What other agents take of it (MESSAGE_FORM_TAKEN) is without the compactions
 * whose list only OpenAI's service can read, where the path has what they have
 * replaced.
 *
 * The agent puts its base instructions before these items, and what is new of
 * its surroundings after them. Neither is in the file, or here.
 */
#ifndef SESSFS_CODEX_CONTEXT_H
#define SESSFS_CODEX_CONTEXT_H

#include "core/dialects/codex/line.h"
#include "core/session/dialect.h"

/* See dialect.h. */
int codex_context(const struct session *s, const struct path *p,
		  struct messages *to);

/*
 * Read the line of an entry if it may be sent: a message or a compaction. Else,
 * and if the agent can't decode it, its kind is CODEX_UNKNOWN. 0 or -errno.
 */
int codex_read_sent(const struct session *s, uint32_t entry, struct buf *line,
		    struct codex_line *l);

#endif
