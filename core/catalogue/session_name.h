/*
 * What a session is called among others: when it was last used, in local time,
 * its agent and its words (core/catalogue/summary.h).
 *
 *     2026-11-26-claude-Write-a-word-counter
 *     1432-claude-Write-a-word-counter           where the day is known
 *
 * Of the words it has what path/ has of an entry's (core/show/step_name.h).
 * What a session does not have is left out. So a name is a file name of ASCII
 * letters, digits, dashes and letters of any script. It never begins with a
 * dash or a dot, and has at most SESSION_NAME_LIMIT bytes.
 */
#ifndef SESSFS_SESSION_NAME_H
#define SESSFS_SESSION_NAME_H

#include "core/catalogue/catalogue.h"
#include "core/json/timestamp.h"

#define SESSION_NAME_LIMIT 200

/* Append the day: 2026-11-26, or "undated". */
void session_name_add_day(struct buf *out, const struct summary *s);

void session_name_add(struct buf *out, const struct session_row *row,
		      enum timestamp_form form);

/*
 * Append the end of the id in a file's path alone: letters and digits of ASCII,
 * or nothing.
 */
#define SESSION_NAME_ID 8
void session_name_add_id(struct buf *out, const char *path);

/*
 * Append the name of its mount: PROJECT-AGENT-ID, of the last part of its
 * working directory, in ASCII. A part that it lacks is left out. Without an
 * agent its dialect stands there.
 */
void session_name_add_mount(struct buf *out, const struct session_row *row,
			    const char *agent);

#endif
