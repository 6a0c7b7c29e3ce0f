/*
 * Contexts of Claude Code sessions: what the agent sends when it resumes at an
 * entry (sessfs-formats(5)). The rules in the order in which they act:
 *
 *   1. The chain of lines (chain.h), with its responses completed (response.h).
 *   2. Lines that are read, and contents that are changed (sent.h).
 *   3. Attachments move after the response that they are in.
 *   4. Lines with calls without results are dropped (calls.h).
 *   5. Blank lines are dropped, then responses without words. A turn of the
 *      user of which nothing is left keeps a line.
 *   6. The lines of a response are one message. Calls are last in it, and those
 *      of the tool Task have its new name, Agent. Thinking is sent only to the
 *      model that it is from: the last one on the chain. Empty texts are not
 *      sent.
 *   7. A turn of the user between two responses is a message for each line; or
 *      one for all, if there are attachments (turn.h), or results to be made up
 *      or moved to the start (calls.h).
 *   8. What is empty then has a placeholder.
 *   9. Of too many pictures and documents the oldest are left out (media.h).
 *
 * What the agent adds by itself when it resumes is not in the context: results
 * made up at the tip, and "No response requested.".
 *
 * What other agents take of it (MESSAGE_FORM_TAKEN) is the same without the
 * agent's own words: attachments of these types (attachment.h), and reminders
 * in texts (taken.h). What it passes on in reminders is there without tags.
 */
#ifndef SESSFS_CLAUDE_CONTEXT_H
#define SESSFS_CLAUDE_CONTEXT_H

#include "core/session/dialect.h"

int claude_context(const struct session *s, const struct path *p,
		   struct messages *to);

#endif
