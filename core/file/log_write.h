/*
 * Writing to the session file (core/file/log.h).
 *
 * Whole lines are appended. Besides, bytes at its start can be overwritten in
 * place, or a new file can replace it.
 *
 * The write lock is an exclusive flock(2) on the session file, which other
 * sessfs processes take too. It is a descriptor that is open for appending.
 * Functions with an argument `lock` need it held.
 */
#ifndef SESSFS_LOG_WRITE_H
#define SESSFS_LOG_WRITE_H

#include "core/file/log.h"

/*
 * Open and lock the file that the path names. Returns the lock. -EBUSY if
 * another process does not release it within five seconds, or at once without
 * `wait`.
 */
int log_lock(const struct log *log, bool wait);
void log_unlock(int lock);

/*
 * Does the path name another file than the locked one, or none? False also if
 * stat(2) can't tell.
 */
bool log_is_replaced(const struct log *log, int lock);

/*
 * Append lines, each with its newline, by one write(2). They are durable after
 * log_sync(). If the last line has no newline, log_wait_torn() comes first, and
 * a newline is appended before them. If the write stops half way (no space, a
 * size limit), its bytes are truncated again.
 *
 * -EAGAIN, and nothing is written, if the size is not that of `expected`.
 */
int log_append(int lock, const struct stat *expected, struct span lines);
int log_sync(int lock);

/*
 * Wait while a last line without a newline grows: its agent may be writing it
 * in several pieces.
 */
int log_wait_torn(int lock);

/*
 * Overwrite the first bytes of the file, durably. `old` and `bytes` are of the
 * same length. -EAGAIN if the file does not start with `old`; -ESTALE if the
 * path names another file.
 */
int log_overwrite(const struct log *log, int lock, struct span old,
		  struct span bytes);

/*
 * Replace the file by a new one with these bytes, the same mode, owner and
 * access control list, atomically and durably. The old file stays beside it as
 * PATH + suffix, with a number if there is one; or it is deleted if suffix is
 * NULL. -EAGAIN if the file differs from `expected`, or is not the one that the
 * path names.
 */
int log_replace(const struct log *log, int lock, const struct stat *expected,
		struct span bytes, const char *suffix);

#endif
