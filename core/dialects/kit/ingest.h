/*
 * The steps of ingesting a line that dialects have in common. Errors are
 * -ENOMEM. A fault of the line itself is no error: it is noted
 * (core/session/problems.h).
 */
#ifndef SESSFS_INGEST_H
#define SESSFS_INGEST_H

#include "core/session/dialect.h"

/*
 * The value of a string, borrowed from the line if it has no escapes, else from
 * *scratch; "" for other types.
 */
struct span ingest_string(struct buf *scratch, struct json v);

/* The entry whose id is the value of a string, or INDEX_NONE. */
uint32_t ingest_find_id(const struct session *s, struct json id);

/*
 * Add a line to the index and make it the leaf. The caller sets id, parent,
 * time and type; this sets the place, and whether it is bookkeeping. *entry is
 * its number, INDEX_NONE if the index has no room for it (which is noted).
 */
int ingest_entry(struct session *s, struct index_line *l,
		 const struct line_place *at, uint32_t *entry);

/* The same, with id and parent from JSON: "" unless they are strings. */
int ingest_named_entry(struct session *s, struct json id, struct json parent,
		       struct index_line *l, const struct line_place *at,
		       uint32_t *entry);

/*
 * Set the label of the entry with the id `target`, at the line's time. A text
 * that JavaScript takes for false clears the label. Nothing happens unless the
 * target is a string.
 */
int ingest_label(struct session *s, struct json target, struct json text,
		 int64_t time, const struct line_place *at);

/*
 * Keep the header, or note that it is another one. `first`: it precedes every
 * other value.
 */
int ingest_header(struct session *s, struct json line, bool first,
		  const struct line_place *at);

/*
 * Make the header of a format that has none: an object of those of n values
 * that are there.
 */
int ingest_made_header(struct session *s, size_t n, const char *const names[],
		       const struct json values[]);

/* Set the session's name, trimmed. Anything but a string clears it. */
int ingest_name(struct session *s, struct json name);

/* Keep the place of a line that tells of files (now.notes). 0 or -ENOMEM. */
int ingest_note(struct session *s, const struct line_place *at);

/* Note that a line is JSON, but no entry. */
void ingest_no_entry(struct session *s, const struct line_place *at);

/*
 * For agents that skip a line which is not JSON, or a value that JavaScript
 * takes for false, without counting it. Is it one? Notes a value as no entry.
 */
bool ingest_skips(struct session *s, struct json line,
		  const struct line_place *at);

/*
 * dialect_agent.unopened() of an agent that opens files which begin with a
 * header, and no others.
 */
struct unopened ingest_lacks_header(const struct session *s);

#endif
