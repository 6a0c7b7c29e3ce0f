/*
 * The session file as bytes: found, watched, read and appended to.
 *
 * The file is the agent's. It is appended to, by whole lines; besides, only its
 * first line can be written over, or a new file take its place. It is read with
 * pread (a mapped file that is truncated kills the process). The path is looked
 * at again before every use of what was read, because agents also replace the
 * file by rename, truncate it, or delete it.
 *
 * Errors are negative errno values. The caller serialises calls that change the
 * log (log_refresh, log_close); log_read may run beside each other. What has a
 * lock for an argument is serialised by that.
 */
#ifndef SESSFS_LOG_H
#define SESSFS_LOG_H

#include <stdint.h>
#include <sys/stat.h>

#include "core/base/buf.h"

struct log {
	char *path;	/* absolute, symlinks resolved; see nofollow.h */
	bool exists;	/* there was a file, as of the last log_refresh */
	int fd;		/* for reading; -1 while there is none, or parked */
	struct stat st; /* as of the last log_refresh */
	bool acl;	/* it has an access list, as of then */
	bool remote;	/* it is on a filesystem as in remote.h */
};

enum log_change {
	LOG_SAME,
	LOG_GREW,     /* same file, more bytes */
	LOG_TOUCHED,  /* same file, as many bytes: perhaps others. Or an append
			 is under way: the kernel sets the time first. */
	LOG_REPLACED, /* another file, or fewer bytes: read it all again */
	LOG_DELETED,  /* deleted, or no regular file any more */
};

/*
 * Open the file at an absolute path without symlinks (core/file/nofollow.h).
 * -EISDIR or -EINVAL for what is no regular file (a FIFO is never waited for).
 */
int log_open(struct log *log, const char *path);
void log_close(struct log *log);

/*
 * Close the descriptor of a file that nobody reads just now; log_refresh()
 * opens it again. Until then only log_peek() and log_is_stale() may be called.
 */
void log_park(struct log *log);

static inline bool log_is_parked(const struct log *log)
{
	return log->exists && log->fd < 0;
}

/*
 * What log_refresh() would find, as far as a stat says; changes nothing. *now
 * is set unless it is LOG_REPLACED, which also stands for LOG_DELETED here.
 */
enum log_change log_peek(const struct log *log, struct stat *now);

/* Would log_refresh() say anything but LOG_SAME? One stat; changes nothing. */
bool log_is_stale(const struct log *log);

/*
 * Look at the file again, opening the one that the path now names: enum
 * log_news. -errno without a descriptor (EMFILE, ENFILE) or if the server of a
 * remote filesystem can't be reached. Nothing has changed then.
 *
 * A parked file that was deleted meanwhile may have given its inode number to
 * another one. Its time of change tells them apart: LOG_SAME is the same file.
 * LOG_GREW and LOG_TOUCHED may be another, so the caller compares all bytes.
 *
 * On a remote filesystem a file that has changed may be another one under the
 * same inode number, so it is opened again whatever has changed.
 */
int log_refresh(struct log *log);

/*
 * The mode that others are to be held to. With an access list the group's bits
 * are a mask, and say nothing about the group.
 */
mode_t log_mode(const struct log *log);

/*
 * Exactly n bytes at offset into `to`; -ESTALE if the file has become shorter.
 * A remote file that can't be read any more is opened again once.
 */
int log_read(const struct log *log, uint64_t offset, void *to, size_t n);

/*
 * The write lock: an exclusive flock on the session file itself, which other
 * sessfs processes take too. log_lock() opens the file for appending and makes
 * sure that the path still names it. The descriptor is the lock: log_unlock()
 * closes it. -EBUSY if it can't be had within seconds.
 */
int log_lock(const struct log *log);
void log_unlock(int lock);

/* Does the path still name the locked file? */
bool log_is_locked(const struct log *log, int lock);

/*
 * Append lines (each with its newline) under the lock: one write(2). On the
 * disk they are for sure after log_sync() only. A missing final newline in the
 * file is supplied first; a torn last line that somebody may still be writing
 * is waited for a moment. -EAGAIN, with nothing written, if the file is not as
 * long as when it was `seen`. When the write stops half way (no space, a size
 * limit) what was written is taken back.
 */
int log_append(int lock, const struct stat *expected, struct span lines);
int log_sync(int lock);

/*
 * Write over the first bytes of the locked file, which are to be `old`; -EAGAIN
 * if they are not, -ESTALE if the path names another file. As many bytes,
 * durable on return.
 */
int log_overwrite(const struct log *log, int lock, struct span old,
		  struct span bytes);

/* Wait that moment for a last line that is still being written. */
int log_wait_torn(int lock);

/*
 * Put a new file in the place of the old one, atomically and durably, under the
 * lock: same mode and owner; the old file stays beside it as PATH + suffix
 * (numbered if there is one already), or not at all without a suffix. -EAGAIN
 * if the file is not as it was `seen`, or not the one at the path any more.
 */
int log_replace(const char *path, int lock, const struct stat *expected,
		struct span bytes, const char *suffix);

/* The first line without the byte order mark that it may begin with. */
struct span log_skip_bom(struct span text);

#endif
