/*
 * Writing the files that hold one line: an entry's label and the session's name
 * (sessfs-mount(7), L and N).
 *
 * A write replaces all bytes from its offset on, so that one of two concurrent
 * writers wins and their bytes never mix. It is applied at once. If the result
 * is not a valid line, nothing is changed and write(2) fails; otherwise it is
 * durable when write(2) returns.
 *
 * `echo TEXT >label` is a truncation by open(2), followed by one or several
 * writes. The truncation is deferred, and the first write replaces it: one
 * entry is appended and not two, and none if the text is refused. No CLOSE
 * arrives that would show that no write follows (fs/kernel/fs.h). So a
 * truncation without a write is applied by the first READ of the file, by the
 * first request for any other file of its session, before sessions.txt is made,
 * after LINE_FILE_DEFER_MS, or when the mount ends, whichever is first. Readers
 * of the session in the mount never see the old line. Readers of the session
 * file may see it for that long. A truncation is deferred only after the
 * session could be locked, so open(2) fails where that fails. It is not
 * deferred while the agent runs with the session open, so open(2) fails where
 * the file must not be written then. ftruncate(2) is never deferred.
 *
 * Another process may lock the session file before the truncation is applied. A
 * request for the session waits for that lock, as a write does, and so does the
 * end of the mount. A thread that serves other sessions, too, does not wait:
 * the truncation stays pending, and is tried again after LINE_FILE_DEFER_MS.
 *
 * Some programs write a text in pieces (bash does, line by line). Each piece is
 * accepted or refused by itself. If a later piece is refused, the file gets the
 * line back that it had before the first, unless somebody else has set another
 * one meanwhile. That appends one more entry. fs/edit/line_edits.h remembers
 * the line.
 */
#ifndef SESSFS_LINE_FILE_H
#define SESSFS_LINE_FILE_H

#include "fs/edit/edit.h"

/* The longest line, in bytes. */
#define LINE_FILE_MAX 1024

/* How long a truncation is deferred. */
#define LINE_FILE_DEFER_MS 100

/* Is it valid UTF-8, without control characters, and not too long? */
bool line_file_is_valid(struct span text);

/*
 * Truncate a file, or write to it, by its inode number. The session must not be
 * entered. 0 or -errno; -EINVAL if the result is not a valid line. `opens`: it
 * is the truncation of open(2), and may be deferred.
 */
int line_file_truncate(struct edit *e, uint64_t ino, uint64_t size, bool opens);
int line_file_write(struct edit *e, uint64_t ino, uint64_t offset,
		    struct span data);

/*
 * Apply the pending truncations that are due by a time (CLOCK_MONOTONIC in ms),
 * of the place with this home, or of all (LINE_EDITS_ALL). No session must be
 * entered. A truncation that fails, for example because its session was
 * replaced or because its lock was waited for in vain, is dropped, and the file
 * has its line again. Without `waits`, one whose lock another process holds
 * stays pending.
 */
void line_file_apply(struct edit *e, uint32_t home, int64_t by, bool waits);

#endif
