/*
 * What the agent itself puts into a conversation as a message of the user or
 * the developer: its surroundings, instructions, notices. 0.171.0 knows these
 * messages by how their texts begin and end. They are no turns of the user.
 *
 * With each new version of the agent the lists are compared with the texts in
 * its program and its source (core/src/event_mapping.rs and core/src/context,
 * and the copy in thread-store that migrates rollouts). Whether a text is such
 * a message is tried with the agent itself: a rollback of the turn after it
 * takes the text back as well.
 */
#ifndef SESSFS_CODEX_FRAGMENT_H
#define SESSFS_CODEX_FRAGMENT_H

#include "core/json/json.h"

/* Is it a message of the user of which a part is such a text? */
bool codex_is_users_context(struct json item);

/*
 * Has a message of the user a part that is no such text, or one that tells what
 * a person or another agent did? Also if it has no parts.
 */
bool codex_is_users_own(struct json item);

/* Or one of the developer that is dropped with the turn that it precedes? */
bool codex_is_developers_context(struct json item);

/*
 * Does the item begin a turn: a message of the user that is none of these, or
 * one from another agent?
 */
bool codex_begins_turn(struct json item);

/*
 * Is a text such a one that says what another agent would say itself: where it
 * runs, its instructions, warnings? Skills, goals and what hooks have said are
 * no notes: without them the conversation could not be understood.
 */
bool codex_is_note(struct span text);

/* Is a text the summary of a compaction by the agent? */
bool codex_is_summary(struct span text);

#endif
