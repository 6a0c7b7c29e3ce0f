/*
 * Contexts of oh-my-pi's sessions: the messages of a path that the agent would
 * send (session-context.ts, context-notes.ts; 18.3.4). message.h prints them.
 *
 *   - The latest compaction is first, then the messages that it keeps, then
 *     those after it. A compaction with its provider's own history keeps no
 *     messages. A rollover also keeps the user's last request.
 *   - Messages before a later reset_boundary are not sent.
 *   - The latest notes precede everything else.
 *   - Not sent either: empty errors and retries of the assistant; tool calls
 *     without a result; turns that failed or were aborted, with the results of
 *     their calls, unless a note of their interrupted thinking follows.
 *
 * What other agents take of it (MESSAGE_FORM_TAKEN) is the same as if there
 * were no compactions with OpenAI's own history, which only its service can
 * read. So does the agent when it goes on with another provider: it makes a
 * summary of the messages before them.
 */
#ifndef SESSFS_OMP_CONTEXT_H
#define SESSFS_OMP_CONTEXT_H

#include "core/session/dialect.h"

int omp_context(const struct session *s, const struct path *p,
		struct messages *to);

#endif
