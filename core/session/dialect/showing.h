/*
 * What a dialect's entries say, for people: `content`, `meta`, the words of the
 * drawn trees, and what the session has used.
 *
 * An entry is given as its line. Functions that append tell of a lack of memory
 * by out->failed.
 */
#ifndef SESSFS_DIALECT_SHOWING_H
#define SESSFS_DIALECT_SHOWING_H

#include <stdint.h>

#include "core/session/block.h"
#include "core/session/index.h"

struct session;

/*
 * A line of `meta`: its key, and where its value is in an entry's line: paths
 * (meta_add_at()), or a function that appends it.
 */
struct meta_row {
	const char *key;
	const char *at;
	void (*add)(struct buf *out, struct json entry);
};

struct usage {
	double tokens;
	double cost; /* in dollars */
};

/* What one line adds to the sums of a session (core/show/usage.h). */
struct used {
	struct usage usage;
	bool is_total;	   /* the cost is that of the session so far */
	bool failed;	   /* without memory */
	uint64_t response; /* the same for all lines of a response; 0: none */
	uint64_t copied; /* without it: the same in a fork's copy of the line */
};

/*
 * A kind of line: what the index keeps of it, and what people see. All paths
 * are json_at()'s.
 */
struct line_row {
	const char *type;      /* NULL: every line fits; the last row */
	const char *kind;      /* NULL: any */
	enum entry_type entry; /* what the index keeps it as */
	const char *content;   /* of its text or blocks; NULL: none. With bars
				  between: the first that has some. */
	const char *role;      /* of a string, or "=" and a word */
	const char *block;     /* of an object that is its only block */
};

/* The rows of a format; the first that a line fits counts (core/show/rows.h).
 */
struct line_rows {
	/* Of each, the first string at these paths, with bars between. */
	const char *type;
	const char *kind;	/* optional */
	const char *shown_type; /* for people; NULL: `type` */

	/* Of a few words for a line whose content has none: meta_add_at(). */
	const char *preview;
	const struct line_row *list;
};

/*
 * What is in a text, or an entry, of what a person typed. As the title of a
 * session the last of them is best.
 */
enum typed {
	TYPED_NOTHING, /* all of it is the agent's */
	TYPED_NO_TEXT, /* of entries: such as a picture */
	TYPED_TAGGED,  /* it begins with a tag, so that it may be the agent's */
	TYPED_COMMAND, /* a command to the agent */
	TYPED_WORDS,
};

struct dialect_showing {
	/* NULL: `type` is the type of a line, and nothing else is known. */
	const struct line_rows *rows;

	/* The members that place an entry in the tree, up to a NULL. */
	const char *const *envelope;

	/* Optional, for what rows can't say: the value that is a type. */
	struct json (*type)(struct json entry);

	/*
	 * Optional, the same: append a short word for an entry: its role, else
	 * its type. In every dialect an entry that only has results of tools is
	 * a toolResult, and an agent's summary of what was said before is a
	 * compaction.
	 */
	void (*role_or_type)(struct buf *out, struct json entry);

	/*
	 * Optional: did a person type the entry? Without it, each entry with
	 * the role "user" counts.
	 */
	bool (*is_typed)(struct json entry);

	/*
	 * Optional: append what a person typed of a text in a user's message,
	 * both in WTF-8: without what the agent has put there, such as notes of
	 * the editor, reminders and the text of a skill, and commands as they
	 * were typed: "/name args". If nothing was typed, append for people
	 * what the agent has put there. Without it, all of the text was typed.
	 */
	enum typed (*typed)(struct buf *out, struct span text);

	/* The title of a session is one such text, not all of an entry. */
	bool one_text_entitles;

	/*
	 * Optional: did a person, the model or a tool say or do the entry? Not
	 * so prompts of the system and of developers, notes of the environment,
	 * skills, attachments, and what the agent or an extension keeps for
	 * itself. Without it, all but the roles "system" and "developer" count
	 * (rows_is_said()). HEAD looks through the others where a dialect has
	 * it (core/session/contents.c).
	 */
	bool (*is_said)(struct json entry);

	/*
	 * The content of an entry. blocks() is optional, for what rows can't
	 * say: its blocks or text as JSON, absent if it has none. text()
	 * appends a text that is made of several fields, or returns false.
	 * Blocks and their values are parts of the entry's line, not copies:
	 * core/show/pictures.h keeps their places.
	 */
	block_reader *read_block;
	struct json (*blocks)(struct json entry);
	bool (*text)(struct buf *out, struct json entry); /* optional */

	/*
	 * Optional: append the bytes of a picture whose data is not base64.
	 * False if it is.
	 */
	bool (*picture)(struct buf *out, struct json data);

	/*
	 * Optional: if the entry as a whole is the result of a tool, a block of
	 * type BLOCK_RESULT, with the name of the tool if that is in it.
	 */
	struct block (*result)(struct json entry);

	/*
	 * Optional: how many bytes at the start of a result's text are the
	 * agent's own, before the output of the tool. *failed, unless it is
	 * NULL: they say that the tool has failed.
	 */
	size_t (*heading)(struct span text, bool *failed);

	/*
	 * Optional, the same: append a few words for an entry whose blocks have
	 * none, such as one without blocks. Nothing: those of its text() are
	 * good.
	 */
	void (*preview)(struct buf *out, struct json entry);

	/*
	 * Optional: the rows of `meta`, up to one without a key. In every
	 * dialect the tokens that a context had before a compaction are
	 * `tokens-before`.
	 */
	const struct meta_row *meta;

	/*
	 * Optional: what a line adds to the sums of the agent; *used is zeroed.
	 * Not called for lines without the bytes "usage", except for short ones
	 * with those of `total`, which say what the session has cost so far.
	 */
	void (*usage)(struct json line, struct used *used);
	const char *total; /* optional */
};

#endif
