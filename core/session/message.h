/*
 * A message to a model, and its two printed forms.
 *
 * The forms are those of Pi 1.6.0 (convertToLlm and serializeConversation).
 * Other dialects have the same:
 *
 *   JSON  one object. A message that is sent unchanged keeps its bytes.
 *   text  blocks joined by an empty line: [User], [Assistant], [Assistant tool
 *         calls], [Tool result], and in other dialects also [Developer],
 *         [Summary] and [System]. System prompts, thinking and pictures are
 *         left out. Tool results are not cut; those in a user's message precede
 *         the rest of it.
 *
 * Or they are not printed, but taken: core/as/ makes other forms of them.
 *
 * All pointers of a message are borrowed, mostly from the entry's line.
 */
#ifndef SESSFS_MESSAGE_H
#define SESSFS_MESSAGE_H

#include <stdint.h>

#include "core/json/writer.h"
#include "core/session/block.h"

struct session;

enum message_role {
	MESSAGE_SYSTEM, /* the system's prompt */
	MESSAGE_USER,
	MESSAGE_ASSISTANT,
	MESSAGE_TOOL_RESULT,
	MESSAGE_DEVELOPER,
	MESSAGE_SUMMARY,  /* sent as the user's */
	MESSAGE_REMINDER, /* sent as the system's, in the conversation */
};

enum message_content {
	CONTENT_NONE,  /* the message has no such key */
	CONTENT_JSON,  /* `content` as it is */
	CONTENT_BLOCK, /* `content`, a string, as the one text block */
	CONTENT_TEXT,  /* `text` as the one text block */
};

struct message {
	enum message_role role;
	struct json source; /* the message of the entry; absent: a new one, with
			       Pi's name of the role */
	bool replaced;	    /* the source, but with the content below */
	enum message_content how;
	struct json content;
	struct span text; /* WTF-8 */
	bool by_line; /* as text, each text of a user is on lines of its own */
	/* Of a new message: as JSON, else in ms if has_time. */
	struct json time_json;
	int64_t time;
	bool has_time;
	/* The next three are for those who take it. */
	struct block result; /* of a tool's result: its call's id, the tool's
				name and its error; other members are absent */
	int64_t when;	     /* it was said, in ms; 0: as the source or the time
				above says, else not known */
	bool note; /* the agent's program says it, and another would say its
		      own: where it runs, what it reminds of; most messages of
		      developers and reminders are. Those of the system need
		      no such mark. */
};

enum message_form {
	MESSAGE_FORM_JSON,
	MESSAGE_FORM_TEXT,
	MESSAGE_FORM_TAKEN, /* nothing is printed */
};

/*
 * Where messages go. The caller opens and closes the array of the JSON form,
 * and calls text_finish() for the text form, which is WTF-8 until then.
 */
struct messages {
	struct buf *out;
	struct json_writer
		json; /* to `out`, inside of the array, with utf8 set */
	enum message_form form;
	block_reader *read_block;
	size_t n; /* messages printed */
	/* Of MESSAGE_FORM_TAKEN. What it fails with is kept by the taker. */
	void (*take)(struct messages *to, const struct message *m);
};

void messages_add(struct messages *to, const struct message *m);

/*
 * Print a summary as it is, as a message of the user at a time (which may be
 * TIMESTAMP_NONE). Nothing if it is empty or not a string.
 */
void messages_add_summary(struct messages *to, struct json summary,
			  int64_t time);

/*
 * Append the context of an entry: the messages that the agent would send to the
 * model with this entry as the leaf (dialect_sending.context). The text form
 * ends with a newline, or is empty. The JSON form is an array with each message
 * on a line. Returns 0 or -errno.
 */
int context_add(const struct session *s, uint32_t entry, enum message_form form,
		struct buf *out);

#endif
