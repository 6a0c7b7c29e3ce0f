/*
 * The session file as bytes: opening it, noticing that it has changed, reading.
 * core/file/log_write.h writes to it.
 *
 * The file is the agent's, which may append to it, truncate it, delete it or
 * replace it by rename at any time. So log_refresh() compares it before each
 * use of an earlier reading. It is read with pread(2), because a truncated file
 * kills the process that has mapped it.
 *
 * The caller serialises log_open(), log_refresh() and log_close(). Several
 * threads may be in log_read().
 *
 * Offsets count from the first byte of the log's lineage, which its owner adds
 * after log_open(), and after it has dropped the old one with
 * lineage_free(). Without one they are those in the file.
 */
#ifndef SESSFS_LOG_H
#define SESSFS_LOG_H

#include <stdint.h>
#include <sys/stat.h>

#include "core/base/buf.h"
#include "core/file/lineage.h"

struct log {
	struct gate *gate;    /* that its files are opened through; or NULL */
	char *path;	      /* absolute, without symlinks; see nofollow.h */
	struct regular *file; /* closed if it is deleted */
	/* As of the last log_refresh(): */
	bool exists;
	struct stat st;
	bool acl;	       /* it has an access control list: log_mode() */
	bool reopened;	       /* another file may have got the inode number */
	struct lineage before; /* whose bytes come first */
	/* Bytes from offset 0 on that the owner has in memory; or empty. */
	struct span kept;
};

/*
 * Open the file at an absolute path without symlinks (core/file/nofollow.h),
 * through a gate, which may be NULL.
 * -EISDIR or -EINVAL if it is no regular file. Opening a FIFO does not block.
 */
int log_open(struct log *log, struct gate *gate, const char *path);

/*
 * Find out whether it has an access control list. For a log whose mode is asked
 * for: log_refresh() does it when the file has changed, log_open() does not.
 */
void log_look_for_acl(struct log *log);
void log_close(struct log *log);

/* How many bytes there were at the last log_refresh(), with the lineage's. */
static inline uint64_t log_size(const struct log *log)
{
	return log->before.size + (uint64_t)log->st.st_size;
}

/* The path of the file that has an offset, and where that file begins. */
const char *log_file_at(const struct log *log, uint64_t offset,
			uint64_t *start);

/*
 * The change that log_refresh() would return, as far as one look shows it.
 * VERSION_REPLACED stands for VERSION_DELETED, too, and for a look that failed.
 * The log stays as it is.
 */
enum version_change log_peek(const struct log *log);

/*
 * Does a look show any change since the last refresh, permissions included?
 * The log stays as it is.
 */
bool log_is_stale(const struct log *log);

/*
 * Compare the file with the last refresh, open the one that the path names now,
 * and return the change (enum version_change). Returns -errno and changes
 * nothing after an error that says nothing of the file (fault_tells_nothing()).
 *
 * A file that is deleted while it is closed (core/file/open_files.h) may leave
 * its inode number to another one. VERSION_SAME is the same file for sure, by
 * its ctime. After VERSION_GREW and VERSION_TOUCHED the caller compares all
 * bytes if `reopened` is set.
 *
 * A remote file that has changed may be another one under the same inode
 * number, so it is opened again whatever the change.
 */
int log_refresh(struct log *log);

/* The mode to hold others to: with a list that of gate_mode_beside_acl(). */
mode_t log_mode(const struct log *log);

/*
 * Read exactly n bytes at an offset. -ESTALE if the file has fewer. A remote
 * file that can't be read any more is opened again once.
 */
int log_read(const struct log *log, uint64_t offset, void *to, size_t n);

/* A file's first line without the byte order mark, if it has one. */
struct span log_skip_bom(struct span text);

#endif
