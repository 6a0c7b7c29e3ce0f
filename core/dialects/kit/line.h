/*
 * Lines that sessfs writes into a session: objects, written member by member
 * (core/json/writer.h); and agents' templates of texts. When memory runs out,
 * the buf that is written to fails.
 */
#ifndef SESSFS_LINE_H
#define SESSFS_LINE_H

#include "core/json/writer.h"
#include "core/session/session.h"

/* Begin a line at the end of `out`, with its `type`. */
struct json_writer line_begin(struct buf *out, const char *type);

/* End the line, and append an LF. 0, or -ENOMEM if `out` has failed. */
int line_end(struct json_writer *w);

/* Write the id of an entry; null for INDEX_NONE. */
void line_add_id(struct json_writer *w, const char *key,
		 const struct session *s, uint32_t entry);

/* Write a time, in ms since 1970, as an ISO string. */
void line_add_time(struct json_writer *w, const char *key, int64_t ms);

/* Append which entry of which session a line is a copy of, as an object. */
void line_quote_origin(struct buf *out, const struct session *s,
		       uint32_t entry);

/*
 * Write the `timestamp` of the line that set a label, if it has one. 0, or the
 * error of reading that line.
 */
int line_add_label_time(struct json_writer *w, const struct session *s,
			const struct label *l);

/* Append the JSON of an id (null for INDEX_NONE), and of a time. */
void line_quote_id(struct buf *out, const struct session *s, uint32_t entry);
void line_quote_time(struct buf *out, int64_t ms);

/* Append an existing line, with an LF. */
void line_add(struct buf *out, struct json line);

/* Up to six members that change, with their values; zeroed: none. */
struct line_changes {
	struct json_change list[6];
	struct buf values[6];
	size_t n;
};

/*
 * Change a member: the caller appends its JSON, or nothing to remove it, before
 * the next change.
 */
struct buf *line_change(struct line_changes *c, const char *key);

/*
 * Append a line with the changes, as json_rewrite() does, and an LF, and free
 * them.
 */
void line_add_rewritten(struct buf *out, struct json line,
			struct line_changes *c);

/* The same by json_splice(): white space stays, and no member is removed. */
void line_add_spliced(struct buf *out, struct json line,
		      struct line_changes *c);

/*
 * Texts with values of a line in them, as agents write them in JavaScript's
 * templates: "Ran `{command}`". What a place between braces means is the
 * caller's.
 *
 * Append what is before the next place, and go behind it. *place is what is
 * between its braces. False, with the rest appended, if there is none.
 */
bool template_next_place(const char **template, struct buf *out,
			 struct span *place);

#endif
