/*
 * A turn of the user as one message: what is sent between two responses, made
 * of the user's lines and of the notes of attachments (attachment.h) among
 * them.
 *
 * Measured with Claude Code 2.1.332:
 *
 *   - A note moves up to the line before it whose first block is the result of
 *     a tool, or to the start of the turn. So notes precede what the user
 *     typed, in their own order.
 *   - The user's own words among the notes are sent without tags, and are not
 *     glued.
 *   - All is one message: first the results, then the rest.
 *   - While nothing but results is in the message, a note is glued to the last
 *     result. If the content of that is a string or missing, it and the note's
 *     texts are trimmed and joined by empty lines. If it is an array, the texts
 *     become its last blocks, and a text block before a note gets a newline.
 *   - A note with pictures is not glued, and none is glued to a result with a
 *     tool_reference or a search_result. They are blocks of the message.
 *   - Models since claude-opus-4-8, and unknown ones, take messages of the role
 *     system. Notes with `as_system` are one such message after that of the
 *     user: without tags, those of one attachment on lines of their own, and an
 *     empty line between attachments. claude-sonnet-5 gets each attachment in
 *     its tags. If the user says nothing in the turn, the same text is a
 *     reminder, in a message of the user. Notes with `as_block` are never
 *     glued for such a model.
 *
 * A turn is a zeroed struct to begin with. When memory runs out, the text that
 * it gives has `failed` set.
 */
#ifndef SESSFS_CLAUDE_TURN_H
#define SESSFS_CLAUDE_TURN_H

#include "core/dialects/claude/attachment.h"

enum claude_system {
	CLAUDE_TAKES_NONE,   /* the model takes no such messages */
	CLAUDE_TAKES_PLAIN,  /* without tags */
	CLAUDE_TAKES_TAGGED, /* in tags */
};

/* What does the model take? An empty name is an unknown model. */
enum claude_system claude_takes_system(struct span model);

struct claude_turn {
	/* Set these before the first call. */
	enum claude_system takes;
	bool taken; /* the notes are for other agents: they are not glued, and
		       never in tags */
	/* private: lists of blocks, without the bracket at the end */
	struct buf results; /* all but the last */
	struct buf others;
	struct buf waiting; /* of lines that notes may precede */
	struct buf glued;   /* to the last result: a list for each note */
	struct buf last;    /* that result */
	size_t unglued; /* of `others`, what would be if it were not taken */
	bool unsent;	/* it is left out in the end */
	enum {
		TURN_GLUE_UNKNOWN,
		TURN_GLUE_NOTHING,
		TURN_GLUE_TEXT,
		TURN_GLUE_BLOCKS,
	} glue;
	struct buf system;
	bool starts; /* the line's next block is its first */
	bool waits;
};

/* Begin a line of the user, and add each of its blocks that is sent. */
void claude_turn_line(struct claude_turn *t);
void claude_turn_block(struct claude_turn *t, struct json block);

/*
 * Add a result that is not sent, because it is the second of its call or has no
 * call. What is glued to it is not sent either.
 */
void claude_turn_unsent(struct claude_turn *t, struct json block);

/* Add a text, of a line whose content is a string. */
void claude_turn_text(struct claude_turn *t, struct json text);

/* Add the notes of an attachment. */
void claude_turn_notes(struct claude_turn *t, const struct claude_notes *notes);

/*
 * End the turn. Append the blocks of the user's message as an array, and the
 * text of the system's as a string in JSON; nothing if there is no such
 * message. Then the turn is empty, for the next one.
 */
void claude_turn_end(struct claude_turn *t, struct buf *content,
		     struct buf *system);

void claude_turn_free(struct claude_turn *t);

#endif
