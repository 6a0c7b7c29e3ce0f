/*
 * Lines that sessfs writes into a session: objects, written member by member
 * (core/json/writer.h). When memory runs out, the buf that is written to fails.
 */
#ifndef SESSFS_LINE_H
#define SESSFS_LINE_H

#include "core/json/splice.h"
#include "core/json/writer.h"
#include "core/session/session.h"

/* Begin a line that is appended to `out`, with its `type`. */
struct json_writer line_begin(struct buf *out, const char *type);

/* End it, with an LF. -ENOMEM if `out` failed. */
int line_end(struct json_writer *w);

/* The id of an entry; null for INDEX_NONE. */
void line_add_id(struct json_writer *w, const char *key,
		 const struct session *s, uint32_t entry);

/* A time, in ms since 1970, as an ISO string. */
void line_add_time(struct json_writer *w, const char *key, int64_t ms);

/*
 * The `timestamp` of the line that set a label, if that has one. 0, or the
 * error of reading it.
 */
int line_add_label_time(struct json_writer *w, const struct session *s,
			const struct label *l);

/* The JSON of an id, and of a time. */
void line_quote_id(struct buf *out, const struct session *s, uint32_t entry);
void line_quote_time(struct buf *out, int64_t ms);

/* Append an existing line, with an LF. */
void line_add(struct buf *out, struct json line);

/* The same with members changed, as json_rewrite() does. */
void line_add_changed(struct buf *out, struct json line,
		      const struct json_change *changes, size_t n);

#endif
