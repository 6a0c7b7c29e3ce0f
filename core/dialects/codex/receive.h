/*
 * A conversation of another agent as a rollout that Codex resumes: a legacy
 * thread, whose lines need no ordinals.
 *
 *   session_meta    with an id of the conversation. Without a provider, the
 *                   agent takes that of its configuration.
 *   response_item   A message for the texts and pictures that stand together, a
 *                   call, or an output. A call with a text is one of a custom
 *                   tool. The agent posts no pictures of URLs: they are texts.
 *   event_msg       What the user and the assistant have said, once more: the
 *                   agent shows that, and lists no thread without it. Before
 *                   all the title, as the user's: a thread is listed with what
 *                   was said first. (Names of threads are in another file.) It
 *                   is not posted.
 *   compacted       with a list of all items, if a result is longer than the
 *                   agent would post it (10,000 bytes, or tokens, as the model
 *                   has it). It cuts outputs of lines, but not those of lists.
 *
 * Whether a call has failed is not said in rollouts.
 */
#ifndef SESSFS_CODEX_RECEIVE_H
#define SESSFS_CODEX_RECEIVE_H

#include "core/session/dialect.h"

extern const struct dialect_receiving codex_receiving;

#endif
