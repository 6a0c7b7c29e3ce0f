/*
 * What dialects do with a line: the parts that they have in common. Errors are
 * -ENOMEM; what is wrong with a line is only noted (core/session/problems.h).
 */
#ifndef SESSFS_INGEST_H
#define SESSFS_INGEST_H

#include "core/session/dialect.h"

/* A string's value, without a copy where it is plain; "" for other types. */
struct span ingest_string(struct buf *scratch, struct json v);

/* The entry whose id a string is; INDEX_NONE if there is none. */
uint32_t ingest_find_id(const struct session *s, struct json id);

/*
 * Enter a line into the index and make it the leaf. The caller fills in id,
 * parent, time and type; the place is added, and whether it keeps books. *entry
 * is its number, INDEX_NONE if there was no room for it.
 */
int ingest_entry(struct session *s, struct index_line *l,
		 const struct line_place *at, uint32_t *entry);

/* The same for one whose id and parent are strings: "" for other types. */
int ingest_named_entry(struct session *s, struct json id, struct json parent,
		       struct index_line *l, const struct line_place *at,
		       uint32_t *entry);

/*
 * A label that a line puts on an id: a non-empty string sets, anything falsy
 * clears, as JavaScript reads it. `time` is the line's.
 */
int ingest_label(struct session *s, struct json target, struct json text,
		 int64_t time, const struct line_place *at);

/* The same, with the text as it is; an empty one clears. */
int ingest_label_text(struct session *s, struct json target, struct span text,
		      int64_t time, const struct line_place *at);

/* The header, or (noted) another one. `first`: it came before all else. */
int ingest_header(struct session *s, struct json line, bool first,
		  const struct line_place *at);

/* The session's name, trimmed; anything but a string clears it. */
int ingest_name(struct session *s, struct json name);

/* The line is no entry: JSON without what an entry must have. */
void ingest_no_entry(struct session *s, const struct line_place *at);

#endif
