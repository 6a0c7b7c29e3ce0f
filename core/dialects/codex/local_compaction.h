/*
 * A compaction without a list (replacement_history), as the agent makes with
 * providers other than its own: the conversation is the newest messages of the
 * user, of 20,000 tokens of four bytes, and the compaction's text as one more.
 *
 *   - The oldest of them is cut to the tokens that the others leave. It loses
 *     its middle.
 *   - The harness's notes (fragment.h) and the agent's summaries are none of
 *     them. The text of an earlier compaction is.
 *   - Of a message, only its input texts are left.
 *
 * 0.171.0 asks at the next such compaction whether a message that was cut looks
 * like a note by then. Here it stays a message.
 */
#ifndef SESSFS_CODEX_LOCAL_COMPACTION_H
#define SESSFS_CODEX_LOCAL_COMPACTION_H

#include "core/dialects/kit/sending.h"

/*
 * Replace the list that is there, and the entries from place `from` of the path
 * up to the one at `to`, a compaction without a list. 0 or -errno.
 */
int codex_compact(struct sending *x, uint32_t from, uint32_t to);

#endif
