/*
 * Calls of tools that have no result, in the response at the tip.
 *
 * Where a response is answered in part, the agent goes on from its last line
 * with such a call, and makes up a result (2.1.281 and later).
 *
 * The response is as claude_complete() has it (claude/response.h): its first
 * fragment on the chain, and then all others in file order. Its lines are kept
 * in now.state, so that a response that grows line by line is searched once.
 */
#ifndef SESSFS_CLAUDE_OPEN_H
#define SESSFS_CLAUDE_OPEN_H

#include "core/dialects/claude/state.h"

/* Count the results of an entry for its parent's calls. */
void claude_count_answers(struct session *s, uint32_t entry);

/*
 * The last line of an entry's response with a call that has no result. The
 * entry itself if there is none. Returns 0 or -ENOMEM.
 */
int claude_open_call(struct session *s, uint32_t entry, uint32_t *open);

/* Older entries were linked anew, or forgotten: look at all again. */
void claude_open_forget(struct session *s);

#endif
