/*
 * Which session it is, on one line, as the headings of `sessfs grep` and the
 * first line of `sessfs log` have it:
 *
 *     pi ~/work/wc 2026-03-01 "The name of the session"
 *
 * and what commands say of one that nobody named (target_tell()). That is its
 * agent, its working directory (the end of a long one), the day of
 * its newest entry, and its name or else the start of what a person typed
 * first.
 */
#ifndef SESSFS_SESSION_LINE_H
#define SESSFS_SESSION_LINE_H

#include "core/session/session.h"

/* Where the columns of a terminal are not known. */
#define SESSION_LINE_COLUMNS 100

/*
 * Append it, for people: in so many columns at most, but with some of the title
 * in any case. The session is entered. 0 or -ENOMEM.
 */
int session_line_add(const struct session *s, size_t columns, struct buf *out);

#endif
