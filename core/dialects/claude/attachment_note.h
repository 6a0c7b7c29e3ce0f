/*
 * Making the notes of an attachment (claude/attachment.h): what the functions
 * for the types have in common, and these functions.
 *
 * None returns an error. Without memory `err` is set, or a buf has failed;
 * claude_attachment() returns it.
 */
#ifndef SESSFS_CLAUDE_ATTACHMENT_NOTE_H
#define SESSFS_CLAUDE_ATTACHMENT_NOTE_H

#include "core/dialects/claude/attachment.h"
#include "core/dialects/claude/reminder.h"
#include "core/json/writer.h"

struct claude_making {
	struct claude_notes *to;
	struct json line;
	struct json attachment;
	struct json type;
	struct json_writer w;
	size_t from;
	bool texts;
	struct buf text;    /* of a reminder, being made */
	struct buf guarded; /* the same, in its tags */
	int err;
};

/* Begin a note, write its blocks to `w`, and end it. */
void claude_note_begin(struct claude_making *m);
void claude_note_end(struct claude_making *m);

/* Write `text` as a block, in the tags of a reminder, and empty it. */
void claude_note_write(struct claude_making *m, enum claude_guard guard);

/* The same, as a note of this one block. */
void claude_note_add(struct claude_making *m, enum claude_guard guard);

bool claude_note_is_type(const struct claude_making *m, struct span name);

/* A member of the attachment. */
struct json claude_note_get(const struct claude_making *m, const char *name);

/* Is it a string or an array that is not empty? */
bool claude_note_is_filled(struct json v);

bool claude_note_is_block(struct json block, struct span type);

/* Append `${v}` to `text`, escaped; nothing for null. */
void claude_note_add_safe(struct claude_making *m, struct json v,
			  bool ampersand);

/*
 * Append a text in which {name} stands for a member of the attachment, and
 * {a.b} for one of its member a. Before the name:
 *
 *     /   a path: < and > and control characters are escaped
 *     &   the same, and &
 *     ,   the elements of an array, with commas
 *     |   the same, with newlines
 */
void claude_note_format(struct claude_making *m, const char *p);

/* Add the notes of one type. claude_note_texts(): of those in its table. */
void claude_note_async_hook(struct claude_making *m);
void claude_note_diagnostics(struct claude_making *m);
void claude_note_diff_lines(struct claude_making *m);
void claude_note_directory(struct claude_making *m);
void claude_note_edited(struct claude_making *m);
void claude_note_file(struct claude_making *m);
void claude_note_ide_lines(struct claude_making *m);
void claude_note_memories(struct claude_making *m);
void claude_note_output_style(struct claude_making *m);
void claude_note_plan_exit(struct claude_making *m);
void claude_note_plan_file(struct claude_making *m);
void claude_note_queued(struct claude_making *m);
void claude_note_resource(struct claude_making *m);
void claude_note_task(struct claude_making *m);
void claude_note_texts(struct claude_making *m);

/* Do claude_note_file() and claude_note_texts() add any? */
bool claude_note_shows_file(const struct claude_making *m);
bool claude_note_has_text(const struct claude_making *m);

#endif
