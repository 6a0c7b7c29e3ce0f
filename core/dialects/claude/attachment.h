/*
 * What an attachment line of a Claude Code session is sent as: one note for
 * each message that the agent makes of it. core/dialects/claude/turn.h places
 * the notes among the user's lines.
 *
 * The agent records what it has sent in `rendered`, an array of {content}. Each
 * content is a string, or an array of text blocks, and neither is empty. Then
 * it is sent again as it is, whatever the type. If one of the contents is not
 * of that form, the agent ignores all of `rendered`.
 *
 * Without `rendered`, the text depends on attachment.type, as the table in
 * attachment_types.c says. It is that of version 2.1.332, in the tags
 * <system-reminder> and </system-reminder>, each on a line of its own. Files
 * and directories are the call of a tool and its result, two notes
 * (attachment_files.c). What the user typed during a turn, or what a task, a
 * hook or another session sent then, is in attachment_queued.c.
 *
 * No note is made of other types. The agent sends nothing for most of them. For
 * some it sends long instructions of its own, which are not reproduced here:
 * agent_listing_delta, auto_mode, auto_mode_exit, deferred_tools_delta,
 * invoked_skills, language, mcp_instructions_delta, memory_update,
 * output_token_usage, pdf_reference, plan_mode, plan_mode_reentry,
 * skill_mention, task_reminder, running tasks in task_status,
 * tool_search_usage_reminder, ultra_effort_enter, and files that are notebooks
 * or PDFs. Of the sentences around what a task, a channel or another session
 * sent, the first is reproduced.
 */
#ifndef SESSFS_CLAUDE_ATTACHMENT_H
#define SESSFS_CLAUDE_ATTACHMENT_H

#include "core/json/json.h"

/*
 * All words of the notes, with those of their rules that are not in a note. A
 * search for one of them looks at the lines of attachments, whatever they have.
 */
extern const char claude_attachment_words[];

struct claude_note {
	size_t from; /* in `json` of the notes: an array of blocks */
	size_t to;
	bool texts; /* all its blocks are text blocks */
};

/* The notes of one attachment. Zeroed: none. */
struct claude_notes {
	struct claude_note *list;
	size_t n;
	size_t cap;
	struct buf json;
	/* For a model that takes messages of the role system (turn.h): */
	bool as_system; /* they are one: `renderedRole` is not "user" */
	bool as_block;	/* they are never glued to a tool's result */
	bool own_words; /* of the user: without tags, and not glued */
};

/*
 * Replace the notes by those of a line of type attachment. Takes time linear in
 * the line. Returns 0 or -ENOMEM.
 */
int claude_attachment(struct json line, struct claude_notes *to);

/*
 * Are there any notes of it? That is asked of each line that is read, so none
 * is made for it.
 */
bool claude_attachment_is_sent(struct json line);

/*
 * Is it the agent's own word: of itself, of where it runs, of what it reminds
 * the model of? Another agent says its own. What the user did, what hooks said
 * and what tasks came to is not.
 */
bool claude_attachment_is_agents(struct json line);

/*
 * Make the notes what another agent is given: without tags, and what the user
 * typed meanwhile without the sentences around it.
 */
void claude_notes_take(struct claude_notes *notes);

void claude_notes_free(struct claude_notes *notes);

/*
 * Append the texts of the notes without their tags, each on lines of its own.
 * False, and nothing: a block is no text.
 */
bool claude_notes_add_bare(const struct claude_notes *notes, struct buf *out);

/* The same of an attachment's line. False also if there are no notes. */
bool claude_attachment_text(struct json line, struct buf *out);

/* Did a person type the attachment, while the agent worked? */
bool claude_attachment_is_typed(struct json line);

/* The array of blocks of a note; valid until the notes change. */
struct json claude_note_blocks(const struct claude_notes *notes, size_t i);

/*
 * Append the content of a user's line whose origin.kind is "task-notification",
 * as it is sent: one text block with all its texts in a reminder, with a
 * heading, then its other blocks. Of the agent's own note the content is
 * already the reminder. Returns whether the line has that origin.
 */
bool claude_add_notification(struct json line, struct json content,
			     struct buf *out);

#endif
