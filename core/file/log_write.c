#include "core/file/log_write.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#include "core/file/fault.h"
#include "core/file/gate.h"
#include "core/file/newfile.h"
#include "core/file/nofollow.h"
#include "core/file/remote.h"
#include "core/file/version.h"
#include "core/file/whole.h"

/* A last line without a newline is torn when it has not grown for so long. */
#define TORN_WAIT_MS 250
#define TORN_POLL_MS 10

/* Writers hold the lock for milliseconds. */
#define LOCK_WAIT_MS 5000

int log_lock(const struct log *log, bool wait)
{
	for (;;) {
		int fd = nofollow_open(log->gate, log->path,
				       O_RDWR | O_APPEND | O_NONBLOCK |
					       O_NOCTTY);
		if (fd < 0)
			return fd;
		struct stat mine;
		int err = whole_lock_within(fd, wait ? LOCK_WAIT_MS : 0);
		if (!err)
			err = remote_stat(fd, &mine);
		if (!err && !S_ISREG(mine.st_mode))
			err = -EINVAL;
		if (err) {
			close(fd);
			return err;
		}
		/* If it was replaced meanwhile, lock the new one. */
		if (!log_is_replaced(log, fd))
			return fd;
		close(fd);
	}
}

bool log_is_replaced(const struct log *log, int lock)
{
	struct version mine;
	struct version now;
	int err = version_take_open(lock, &mine);
	if (!err)
		err = version_take(log->gate, log->path, &now);
	if (err)
		return !fault_tells_nothing(err);
	return !version_same_file(mine, now);
}

void log_unlock(int lock)
{
	close(lock);
}

/*
 * *gap: the file needs a newline before the next line. An agent may be writing
 * the last line in several pieces. So wait while it grows, to not append in its
 * middle.
 */
static int append_gap(int fd, off_t *size, bool *gap)
{
	static const struct timespec pause = { .tv_nsec = TORN_POLL_MS *
							  1000000L };
	struct stat st;
	off_t before = -1;
	int quiet_ms = 0;
	for (;;) {
		char c = '\n';
		int err = remote_stat(fd, &st);
		if (err)
			return err;
		ssize_t got = 1;
		if (st.st_size > 0)
			got = whole_read_at(fd, &c, 1, st.st_size - 1);
		if (got != 1)
			return got < 0 ? (int)got : -ESTALE;
		*size = st.st_size;
		*gap = c != '\n';
		quiet_ms = st.st_size == before ? quiet_ms + TORN_POLL_MS : 0;
		if (!*gap || quiet_ms >= TORN_WAIT_MS)
			return 0;
		before = st.st_size;
		nanosleep(&pause, NULL);
	}
}

/* Write all bytes at once, or none if a short write can be undone. */
static int append_bytes(int fd, struct span bytes)
{
	struct stat st;
	struct rlimit l;
	ssize_t n = whole_write_once(fd, bytes);
	if (n < 0 || (size_t)n == bytes.n)
		return n < 0 ? (int)n : 0;
	/* Undo it, unless another process has appended after it. */
	off_t end = lseek(fd, 0, SEEK_CUR);
	if (n > 0 && end >= n && fstat(fd, &st) == 0 && st.st_size == end &&
	    ftruncate(fd, end - n) == 0)
		fdatasync(fd);
	bool limited = getrlimit(RLIMIT_FSIZE, &l) == 0 &&
		       l.rlim_cur != RLIM_INFINITY &&
		       (rlim_t)(end - n) + bytes.n > l.rlim_cur;
	return limited ? -EFBIG : -ENOSPC;
}

int log_sync(int lock)
{
	return whole_sync(lock, fdatasync);
}

/*
 * The locked file, opened a second time without O_APPEND, with which pwrite(2)
 * appends whatever the offset. Clearing the flag by fcntl(2) does not help:
 * sshfs has opened the file with it on the server.
 */
static int open_to_overwrite(const struct log *log, int lock)
{
	struct version mine;
	struct version now;
	int fd = nofollow_open(log->gate, log->path,
			       O_RDWR | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return fd;
	int err = version_take_open(fd, &now);
	if (!err)
		err = version_take_open(lock, &mine);
	if (!err && version_same_file(now, mine))
		return fd;
	close(fd);
	return err ? err : -ESTALE;
}

int log_overwrite(const struct log *log, int lock, struct span old,
		  struct span bytes)
{
	struct buf now BUF_SCOPED = { 0 };
	int fd = open_to_overwrite(log, lock);
	if (fd < 0)
		return fd;
	int err = whole_read_file(fd, old.n, &now);
	if (!err && !span_eq(old, buf_span(&now)))
		err = -EAGAIN;
	if (!err)
		err = whole_write_at(fd, bytes, 0);
	if (!err)
		err = log_sync(fd);
	close(fd);
	return err;
}

int log_wait_torn(int lock)
{
	off_t size;
	bool gap;
	return append_gap(lock, &size, &gap);
}

int log_append(int lock, const struct stat *expected, struct span lines)
{
	off_t size = 0;
	bool gap = false;
	struct buf out BUF_SCOPED = { 0 };
	int err = append_gap(lock, &size, &gap);
	if (gap)
		buf_addc(&out, '\n');
	buf_add(&out, lines);
	if (!err)
		err = buf_error(&out);
	/* The lines were made for the file as it was before. */
	if (!err && size != expected->st_size)
		err = -EAGAIN;
	return err ? err : append_bytes(lock, buf_span(&out));
}

/* Is this another name of the file, of a try that did not succeed, say? */
static bool is_kept(const struct newfile *f, const char *name)
{
	struct version kept;
	struct version now;
	return version_take_in(f->folder, name, &kept) == 0 &&
	       version_take_in(f->folder, f->target, &now) == 0 &&
	       version_same_file(kept, now);
}

/*
 * Link the file as its name + suffix, with a number if that is taken. *name is
 * the name.
 */
static int keep_beside(const struct newfile *f, const char *suffix,
		       struct buf *name)
{
	for (int i = 1; i < 1000; i++) {
		buf_clear(name);
		buf_adds(name, f->target);
		buf_adds(name, suffix);
		if (i > 1)
			buf_addf(name, ".%d", i);
		const char *to = buf_cstr(name);
		if (!to)
			return -ENOMEM;
		if (linkat(f->folder, f->target, f->folder, to, 0) == 0)
			return 0;
		if (errno != EEXIST)
			return -errno;
		if (is_kept(f, to))
			return 0;
	}
	return -EEXIST;
}

/* -EAGAIN if another file, or other bytes, would be replaced and lost. */
static int check_same(const struct newfile *f, int lock,
		      const struct stat *expected)
{
	struct version now;
	struct version named;
	int err = version_take_open(lock, &now);
	if (!err)
		err = version_take_in(f->folder, f->target, &named);
	if (err)
		return err == -ENOENT ? -EAGAIN : err;
	bool same = version_same_file(now, named) &&
		    version_same_bytes(now, version_of_stat(expected));
	return same ? 0 : -EAGAIN;
}

/*
 * Put the old file back, which is kept beside the new one, if an agent without
 * a lock has written to it since the last check. Then -EAGAIN.
 */
static int restore_if_written(const struct newfile *f, int lock,
			      const struct stat *expected, const char *kept)
{
	struct version old;
	if (version_take_open(lock, &old) == 0 &&
	    version_same_bytes(old, version_of_stat(expected)))
		return 0;
	if (renameat(f->folder, kept, f->folder, f->target) < 0)
		return -errno;
	int err = newfile_sync_folder(f);
	return err ? err : -EAGAIN;
}

/* Replace the file, and keep the old one under another name. */
static int replace_and_keep(struct newfile *f, int lock,
			    const struct stat *expected, const char *suffix)
{
	struct buf kept BUF_SCOPED = { 0 };
	int err = keep_beside(f, suffix, &kept);
	bool linked = !err;
	/* The rename must not be durable before the name of the old file. */
	if (!err)
		err = newfile_sync_folder(f);
	/* This may take long: an agent without a lock may have written. */
	if (!err)
		err = check_same(f, lock, expected);
	if (!err)
		err = newfile_rename(f);
	/* A server may have renamed the new file, and its answer was lost. */
	if (err && linked && is_kept(f, kept.data))
		unlinkat(f->folder, kept.data, 0);
	if (!err)
		err = restore_if_written(f, lock, expected, kept.data);
	return newfile_finish(f, err);
}

/* Append the file's access control list; nothing if it has none. */
static int read_acl(int lock, struct buf *acl)
{
	ssize_t n = fgetxattr(lock, GATE_ACL, NULL, 0);
	if (n > 0) {
		char *to = buf_reserve(acl, (size_t)n);
		if (!to)
			return -ENOMEM;
		n = fgetxattr(lock, GATE_ACL, to, (size_t)n);
	}
	if (n < 0)
		return fault_tells_nothing(-errno) ? -errno : 0;
	acl->len = (size_t)n;
	return 0;
}

static int set_acl(const struct newfile *f, struct span acl)
{
	int fd = whole_open(f->folder, f->name.data, O_WRONLY, 0);
	if (fd < 0)
		return fd;
	int err = fsetxattr(fd, GATE_ACL, acl.p, acl.n, 0) < 0 ? -errno : 0;
	if (!err)
		err = whole_sync(fd, fsync);
	close(fd);
	return err;
}

/* Write the new file, with the old one's mode, owner and list. */
static int write_like(const struct log *log, int lock,
		      const struct stat *expected, struct span bytes,
		      struct newfile *f)
{
	struct buf acl BUF_SCOPED = { 0 };
	struct stat like = *expected;
	int err = read_acl(lock, &acl);
	if (acl.len > 0)
		like.st_mode = gate_mode_beside_acl(like.st_mode);
	if (!err)
		err = newfile_write(f, log->gate, log->path, bytes, &like,
				    true);
	if (!err && acl.len > 0) {
		err = set_acl(f, buf_span(&acl));
		if (err)
			newfile_discard(f);
	}
	return err;
}

int log_replace(const struct log *log, int lock, const struct stat *expected,
		struct span bytes, const char *suffix)
{
	struct newfile f;
	int err = write_like(log, lock, expected, bytes, &f);
	if (err)
		return err;
	err = check_same(&f, lock, expected);
	if (!err && suffix)
		return replace_and_keep(&f, lock, expected, suffix);
	return newfile_finish(&f, err ? err : newfile_rename(&f));
}
