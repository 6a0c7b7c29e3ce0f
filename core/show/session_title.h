/*
 * What people know a session by: what it is about, and when it was last used.
 * The catalogue, headings, tree.html and copies for other agents show it.
 *
 * The session is entered in all functions.
 */
#ifndef SESSFS_SESSION_TITLE_H
#define SESSFS_SESSION_TITLE_H

#include "core/session/session.h"

/*
 * The time of the newest entry that is no bookkeeping (index.h), else
 * that of the header, or TIMESTAMP_NONE.
 */
int64_t session_title_time(const struct session *s);

/*
 * Append its name, or else the start of the first text that a person typed (a
 * command only if there is nothing else), of at most this many columns. Reads a
 * few lines; if they have changed, there are no words. 0, -ENOMEM, or an error
 * of fault_is_shortage().
 */
int session_title_add(const struct session *s, size_t max, struct buf *out);

/* The same with another name in place of its own; an empty one is none. */
int session_title_add_named(const struct session *s, struct span name,
			    size_t max, struct buf *out);

#endif
