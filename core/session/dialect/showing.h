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
	bool failed;	   /* without memory */
	uint64_t response; /* the same for all lines of a response; 0: none */
};

struct dialect_showing {
	/*
	 * The value that is an entry's type (NULL: its member `type`), and the
	 * names of the members that place it in the tree, up to a NULL.
	 */
	struct json (*type)(struct json entry);
	const char *const *envelope;

	/*
	 * Append a short word for an entry: its role, else its type. In every
	 * dialect an entry that only has results of tools is a toolResult, and
	 * an agent's summary of what was said before is a compaction.
	 */
	void (*role_or_type)(struct buf *out, struct json entry);

	/*
	 * Optional: did a person type the entry? Without it, each entry with
	 * the role "user" counts.
	 */
	bool (*is_typed)(struct json entry);

	/*
	 * The content of an entry: its blocks or text as JSON, absent if it has
	 * none. text() appends a text that is made of several fields, or
	 * returns false. Blocks and their values are parts of the entry's line,
	 * not copies: core/show/pictures.h keeps their places.
	 */
	block_reader *read_block;
	struct json (*blocks)(struct json entry);
	bool (*text)(const struct session *s, struct buf *out,
		     struct json entry); /* optional */

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
	 * Append a few words for an entry whose blocks have none, such as one
	 * without blocks. Nothing: those of its text() are good.
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
	 * Not called for lines without the bytes "usage".
	 */
	void (*usage)(struct json line, struct used *used);
};

#endif
