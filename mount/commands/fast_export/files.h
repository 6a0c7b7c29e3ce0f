/*
 * What the file tools wrote, for the folder files/ of a commit.
 *
 *     files/src/wc.c         below the session's working directory
 *     files/@/etc/passwd     elsewhere, as in by-file/
 *
 * A call that wrote a file as a whole sets it. After any other call that
 * changed it, nobody knows the whole, and it is removed until it is written
 * again. Calls that failed change nothing. Commands of shells are not parsed.
 */
#ifndef SESSFS_FILES_H
#define SESSFS_FILES_H

#include "core/session/session.h"

/*
 * Append the commands for the calls of an entry, which may be none. `json` is
 * its line. 0 or an error of core/show/touches.h.
 */
int files_add(const struct session *s, uint32_t entry, struct json json,
	      struct buf *out);

/* For tests: append the path in a commit of a path as touch_path.h has it. */
void files_add_path(struct buf *out, struct span path);

#endif
