/*
 * A conversation of another agent as a rollout that Codex resumes: a paginated
 * thread, which can be reverted and forked at its turns.
 *
 *   session_meta    with an id of the conversation, and the provider "openai":
 *                   the agent does not resume a thread that has none, and can't
 *                   be told another one when it resumes.
 *   response_item   The items of as/responses.json (core/as/api.h), which is
 *                   what the agent posts. But it posts no pictures of URLs:
 *                   they are texts.
 *   event_msg       Turns, and in them what the user and the assistant have
 *                   said, once more: the agent shows that, and lists no thread
 *                   without it. Before all the title, as the user's, which is
 *                   not posted: a thread is listed with what was said first.
 *                   (Names of threads are in another file.)
 *   compacted       with a list of all items up to the last result that is
 *                   longer than the agent would post it (10,000 bytes, or
 *                   tokens, as the model has it), if there is one. It cuts
 *                   outputs of lines, but not those of lists.
 *
 * Whether a call has failed is not said in rollouts.
 */
#ifndef SESSFS_CODEX_RECEIVE_H
#define SESSFS_CODEX_RECEIVE_H

#include "core/session/dialect.h"

extern const struct dialect_receiving codex_receiving;

#endif
