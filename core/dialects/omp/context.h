/*
 * Contexts of oh-my-pi's sessions (FORMATS.md, section 4; 18.2.0,
 * session-context.ts, context-notes.ts): which messages of a path the model
 * would be sent. What is sent of each is omp/message.h's.
 *
 *   - The latest compaction stands first, then what it keeps, then what comes
 *     after it. One that brings its provider's own history keeps no messages; a
 *     rollover keeps the last request of the user's besides.
 *   - What stands before a later reset_boundary is not sent.
 *   - The latest notes come before all else.
 *   - Assistants' turns that are empty errors or retries go; so do tool calls
 *     without a result, and turns that failed or were aborted with the results
 *     of their calls, unless their interrupted thinking comes next.
 */
#ifndef SESSFS_OMP_CONTEXT_H
#define SESSFS_OMP_CONTEXT_H

#include "core/session/dialect.h"

int omp_context(const struct session *s, const struct path *p,
		struct messages *to);

#endif
