/*
 * Reminders, in which Claude Code sends the model what is not the user's own
 * text: the text between two tags, each on a line of its own.
 */
#ifndef SESSFS_CLAUDE_REMINDER_H
#define SESSFS_CLAUDE_REMINDER_H

#include "core/base/buf.h"

#define CLAUDE_OPEN_TAG "<system-reminder>"
#define CLAUDE_CLOSE_TAG "</system-reminder>"

/* What is replaced in a text, so that it can't end the reminder around it. */
enum claude_guard {
	CLAUDE_GUARD_NONE,
	CLAUDE_GUARD_CLOSE, /* < of a closing tag: &lt; */
	CLAUDE_GUARD_WHOLE, /* a closing tag: &lt;/system-reminder&gt; */
	CLAUDE_GUARD_HOOK,  /* < of a tag, and of one cut at the end: &lt; */
	CLAUDE_GUARD_SLASH, /* < of a closing tag: <\ */
};

void claude_add_guarded(struct buf *out, struct span text,
			enum claude_guard guard);

/*
 * Append a text with <, > and control characters escaped as in HTML; also & or
 * ", or nothing else for '<'.
 */
void claude_add_escaped(struct buf *out, struct span text, char also);

/* Append a text in the tags. */
void claude_add_reminder(struct buf *out, struct span text);

/* Append the text in the tags; one without them is appended as it is. */
void claude_add_bare(struct buf *out, struct span text);

/*
 * Leave out the reminders that a text begins and ends with, and the newlines
 * between them and the rest. Returns whether there were any. One in the middle
 * of a text is a part of that: somebody shows what a reminder is.
 */
bool claude_cut_reminders(struct span *text);

#endif
