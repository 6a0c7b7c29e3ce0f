/*
 * Making the notes of an attachment (attachment.h): what the functions for the
 * types have in common, and these functions. None returns an error: without
 * memory `text` or to->json has failed.
 */
#ifndef SESSFS_CLAUDE_ATTACHMENT_NOTE_H
#define SESSFS_CLAUDE_ATTACHMENT_NOTE_H

#include "core/dialects/claude/attachment.h"
#include "core/dialects/claude/claude.h"
#include "core/json/writer.h"

struct claude_making {
	struct claude_notes *to;
	struct json attachment;
	struct json type;
	struct json_writer w;
	size_t from;
	bool texts;
	struct buf text; /* of a reminder, being made */
};

/* Begin a note, write its blocks to `w`, and end it. */
void claude_note_begin(struct claude_making *m);
void claude_note_end(struct claude_making *m);

/* Write `text` as a block, in the tags of a reminder, and empty it. */
void claude_note_write(struct claude_making *m, enum claude_guard guard);

/* The same, as a note of this one block. */
void claude_note_add(struct claude_making *m, enum claude_guard guard);

/* A member of the attachment. */
struct json claude_note_get(const struct claude_making *m, const char *name);

/*
 * Append a format to `text`, in which {name} stands for a member of `of`, and
 * {a.b} for one of its member a. Before the name:
 *
 *     /   a path: < and > and control characters are escaped; nothing for null
 *     &   the same, and &
 *     "   < and > and control characters and " are escaped
 *     ,   the elements of an array, with commas
 *     |   the same, with newlines
 *     #   only the start of a long text
 *     ?   what follows, up to {}, if the member is true to JavaScript
 *     !   the same, if it is not
 */
void claude_note_format(struct claude_making *m, struct json of,
			const char *format);

/* Make the notes by the type. Is there any? */
void claude_note_by_type(struct claude_making *m);
bool claude_note_is_sent(const struct claude_making *m);

/* Of files (attachment_files.c), and of what is queued. */
void claude_note_directory(struct claude_making *m);
void claude_note_edited(struct claude_making *m);
void claude_note_file(struct claude_making *m);
bool claude_note_shows_file(const struct claude_making *m);
void claude_note_resource(struct claude_making *m);
bool claude_note_is_queued(const struct claude_making *m);
void claude_note_queued(struct claude_making *m);
/* What the user typed, of the text that is sent; another text stays. */
struct span claude_note_typed(struct span text);

#endif
