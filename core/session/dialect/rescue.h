/*
 * How a dialect's damaged sessions are rescued: what its agent needs of each
 * line, for `sessfs rescue` (mount/commands/rescue).
 */
#ifndef SESSFS_DIALECT_RESCUE_H
#define SESSFS_DIALECT_RESCUE_H

#include "core/json/writer.h"

struct session;

/*
 * For a header that is made in the place of a damaged one: values that could be
 * read of that, else what is known from elsewhere. JSON, or absent.
 */
enum header_fact {
	HEADER_ID, /* the new one */
	HEADER_VERSION,
	HEADER_TIME, /* else that of the first entry */
	HEADER_CWD,
	HEADER_FACTS
};

struct dialect_rescue {
	/* What opens a file: this text, its path, and that. */
	const char *opens;
	const char *opens_with;

	/* Members of an entry: its id, its parent's, its time. */
	const char *id;
	const char *parent;
	const char *time;
	const char *session; /* optional: the session's id, in every line */
	bool needs_time;     /* the agent fails without it */
	/* The last entry is the leaf. Else pin() appends a line that sets it.
	 */
	bool leaf_is_last;
	void (*pin)(struct json_writer *w, const struct session *s,
		    uint32_t leaf);

	/*
	 * Could the object be a line? Asked of objects that are found in lines
	 * that are not JSON, where parts of lines are objects as well.
	 */
	bool (*is_line)(struct json object);
	/* Optional: is it a header, or a line that precedes the header? */
	bool (*is_header)(struct json object);
	bool (*is_start)(struct json object);
	/*
	 * With is_header: append a header, without an LF. has_ids: most lines
	 * have an id.
	 */
	void (*make_header)(struct buf *out,
			    const struct json facts[HEADER_FACTS],
			    bool has_ids);
	/*
	 * Optional: which of several conversations in the file is the entry's?
	 * An entry is joined to one of its own.
	 */
	uint32_t (*side)(const struct session *s, uint32_t entry);
};

#endif
