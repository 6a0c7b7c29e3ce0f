/*
 * Claude Code's sessions: the facets that stand beside their functions, and
 * what small files have for the others.
 */
#ifndef SESSFS_CLAUDE_H
#define SESSFS_CLAUDE_H

#include "core/session/dialect.h"

extern const struct dialect dialect_claude;

extern const struct dialect_adding claude_adding;
extern const struct dialect_bases claude_bases;
extern const struct dialect_home claude_home;
extern const struct dialect_outside claude_outside;
extern const struct dialect_reading claude_reading;
extern const struct dialect_receiving claude_receiving;
extern const struct dialect_resuming claude_resuming;
extern const struct dialect_showing claude_showing;
extern const struct dialect_subagents claude_subagents;
extern const struct dialect_writing claude_writing;

/* What its tools make of files. */
extern const struct dialect_filing claude_filing;

/* Functions of other facets; their files have their names. */
const char *claude_claims(struct json line);
int claude_context(const struct session *s, const struct path *p,
		   struct messages *to);
int claude_branch(const struct session *s, uint32_t entry, unsigned nth,
		  struct buf *out);
enum typed claude_typed(struct buf *out, struct span text);

/* -- claims.c */

/* See dialect_rescue.is_line. In a transcript, more is a line than tells one.
 */
bool claude_is_line(struct json object);

/*
 * The session from which a line was copied when this one was forked off, as a
 * string; absent if it does not say. /branch says so in each line, and
 * --fork-session in those of the assistant. Given are its members forkedFrom,
 * requestSessionId and sessionId.
 */
struct json claude_origin_of(struct json forked_from, struct json request,
			     struct json session);

/* Is it of one of these types? BLOCK_IS(block, "image", "document") */
#define BLOCK_IS(block, ...) JSON_IS(json_get(block, "type"), __VA_ARGS__)

/* Has a content a block of this type? */
bool claude_has_block(struct json content, const char *type);

/* Write a block with another value of a member, which is freed. */
void claude_write_with(struct json_writer *w, struct json block,
		       const char *key, struct buf *value);

/* -- subagents.c, outputs.c */

/*
 * Ingest the line of an entry with results: add the subagent that it names, if
 * any. 0 or -ENOMEM.
 */
int claude_ingest_subagent(struct session *s, struct json line);

/* Ingest the message of such an entry. 0 or -ENOMEM. */
int claude_ingest_outputs(struct session *s, uint32_t entry,
			  struct json message);

/* -- taken.c */

/*
 * Append a content without the reminders before and after its texts and
 * results, or nothing if there are none. Returns false if nothing else is in
 * it, or if it is the agent's caveat before the commands that a person ran.
 */
bool claude_take(struct json content, struct buf *out);

/* Append a content with the text in reminders, without the tags. */
void claude_take_bare(struct json content, struct buf *out);

/* -- found.c */

/* Append it: of a text that was asked for, the one that was found, a new one.
 */
void found_add_new(struct buf *out, struct span asked, struct span found,
		   struct span new);

/* -- write.c */

struct claude;

/*
 * Does a line in the transcript move the head to an entry, or to the place
 * before the first, and not the sidecar? The newest `version` in the
 * transcript's lines decides: the agent that wrote it last is the one that will
 * most likely resume it. 2.1.120 was the first to honour pins, and 2.1.191 the
 * first for the place before all entries. In a transcript that names no
 * version, a line does.
 */
bool claude_pins(const struct session *s, bool before_first);

/* Write what a line that pins the leaf has, but for the session's id. */
void claude_pin(struct json_writer *w, const struct session *s, uint32_t leaf);

/*
 * Append such a line; the leaf's id and the session's are JSON. 0 or -ENOMEM.
 */
int claude_add_pin(struct buf *out, const struct buf *leaf,
		   const struct buf *id);

/* Note a line's `version`. */
void claude_note_version(struct claude *c, struct json version);

/* -- leaf.c */

int claude_find_leaf(struct session *s);

/*
 * dialect_agent.unopened(): without a line that rule 1 finds, such as in one of
 * titles or sidechains alone, the agent finds no conversation.
 */
struct unopened claude_unopened(const struct session *s);

/* -- reminder.c */

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

/* -- media.c */

/* Zeroed: none are left out. The caller frees `body`. */
struct claude_media {
	size_t n;	 /* those in all messages so far */
	size_t left_out; /* so many are still to be left out */
	/* Of the messages of the user since the last other one: */
	bool any;     /* one was sent */
	bool emptied; /* one had only what was left out */
	int64_t when; /* the next message was said: message.when */
	struct buf body;
};

/* How many of n have to be left out for a model? */
size_t claude_media_too_many(size_t n, struct span model);

/* Send a message; claude_media_end() after the last one. */
void claude_media_send(struct claude_media *m, struct messages *to,
		       enum message_role role, struct json content);
void claude_media_end(struct claude_media *m, struct messages *to);

#endif
