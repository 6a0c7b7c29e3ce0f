/*
 * The calls of tools and their results in a context of Claude Code
 * (sessfs-formats(5)).
 *
 *   - A line with calls none of which has a result on the chain is dropped.
 *     Exception: the open turn at the end, that is, everything after the last
 *     text of the user, if the last response has a call.
 *   - Of calls with the same id only the first is sent.
 *   - A result is sent in the user's next message after its call, and once.
 *     Others are dropped.
 *   - A call that has no result there gets a made-up one, as from the agent,
 *     unless it is in the last response.
 *   - If a result that is sent follows another block of its turn, the turn's
 *     lines become one message, with the results first.
 *   - A call of the server's tools is sent if its result is in the same
 *     response.
 *
 * Functions without an error let x->json fail.
 */
#ifndef SESSFS_CLAUDE_CALLS_H
#define SESSFS_CLAUDE_CALLS_H

#include "core/dialects/claude/sent.h"

/* Add the calls of the piece that was added last. 0 or -errno. */
int claude_add_calls(struct sending *x);

/* Passes. The first finds which calls have results, and the last response. */
sending_pass claude_match_results, claude_drop_unanswered_calls;

/*
 * Note the results in a turn of the user, the pieces from `from` to `end`, of
 * the last response's calls. Must the lines become one message?
 */
bool claude_note_results(struct sending *x, uint32_t from, uint32_t end);

/*
 * Add results for its calls without one to the turn. Returns whether there are
 * any.
 */
bool claude_make_up_results(struct sending *x);

/* Is a result sent, now? Call it once for each, after claude_note_results(). */
bool claude_sends_result(struct sending *x, struct json block);

/* Forget which results were noted and sent, to send all messages again. */
void claude_forget_results(struct sending *x);

/* Has the response a result of the server's tool with this id? */
bool claude_has_server_result(struct sending *x, struct json id);

/* The last response that was written is from `first` to `end` from now on. */
void claude_begin_response(struct sending *x, uint32_t first, uint32_t end);

#endif
