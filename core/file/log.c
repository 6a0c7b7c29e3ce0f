#include "core/file/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/xattr.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "core/file/newfile.h"
#include "core/file/nofollow.h"
#include "core/file/remote.h"
#include "core/file/same.h"
#include "core/file/whole.h"

/* How long a torn last line is watched for its writer: see append_gap(). */
#define TORN_WAIT_MS 250
#define TORN_POLL_MS 10

/* How long another writer's lock is waited for: it is held for milliseconds. */
#define LOCK_WAIT_MS 5000
#define LOCK_POLL_MS 2

static void sleep_ms(long ms)
{
	struct timespec pause = { .tv_nsec = ms * 1000000L };
	nanosleep(&pause, NULL);
}

static bool same_bytes(const struct stat *a, const struct stat *b)
{
	return a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
	       a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static bool same_change(const struct stat *a, const struct stat *b)
{
	return a->st_ctim.tv_sec == b->st_ctim.tv_sec &&
	       a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

/* A regular file for reading, or -errno; never waits for a FIFO's writer. */
static int open_regular(const char *path, struct stat *st)
{
	int fd = nofollow_open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return fd;
	int err = 0;
	if (fstat(fd, st) < 0)
		err = -errno;
	else if (S_ISDIR(st->st_mode))
		err = -EISDIR;
	else if (!S_ISREG(st->st_mode))
		err = -EINVAL;
	if (err) {
		close(fd);
		return err;
	}
	return fd;
}

static bool has_acl(int fd)
{
	return fgetxattr(fd, "system.posix_acl_access", NULL, 0) > 0;
}

mode_t log_mode(const struct log *log)
{
	return log->acl ? log->st.st_mode & ~(mode_t)S_IRWXG : log->st.st_mode;
}

int log_open(struct log *log, const char *path)
{
	*log = (struct log){ .fd = -1 };
	log->path = strdup(path);
	if (!log->path)
		return -ENOMEM;
	int fd = open_regular(log->path, &log->st);
	if (fd < 0) {
		log_close(log);
		return fd;
	}
	log->exists = true;
	log->fd = fd;
	log->acl = has_acl(fd);
	log->remote = remote_is(fd);
	return 0;
}

void log_park(struct log *log)
{
	if (log->fd >= 0)
		close(log->fd);
	log->fd = -1;
}

void log_close(struct log *log)
{
	if (log->fd >= 0)
		close(log->fd);
	free(log->path);
	*log = (struct log){ .fd = -1 };
}

/*
 * Looked at by its whole path, which may lead through a link by now. That is
 * one call and not one for each folder; and what it finds is only compared:
 * whatever is read or written is opened without following any.
 */
bool log_is_stale(const struct log *log)
{
	struct stat now;
	if (lstat(log->path, &now) < 0 || !S_ISREG(now.st_mode))
		return log->exists;
	return !log->exists || !same_file(&now, &log->st) ||
	       !same_bytes(&now, &log->st) || !same_change(&now, &log->st) ||
	       now.st_mode != log->st.st_mode || now.st_uid != log->st.st_uid ||
	       now.st_gid != log->st.st_gid;
}

static enum log_change compare(const struct stat *was, const struct stat *now)
{
	if (!same_file(now, was))
		return LOG_REPLACED;
	if (same_bytes(now, was))
		return LOG_SAME;
	return now->st_size > was->st_size    ? LOG_GREW
	       : now->st_size == was->st_size ? LOG_TOUCHED
					      : LOG_REPLACED;
}

enum log_change log_peek(const struct log *log, struct stat *now)
{
	if (!log->exists || lstat(log->path, now) < 0)
		return LOG_REPLACED;
	return compare(&log->st, now);
}

/* See log_refresh() about files that were parked. */
static enum log_change compare_parked(const struct stat *was,
				      const struct stat *now)
{
	enum log_change change = compare(was, now);
	bool same = change != LOG_SAME || same_change(was, now);
	return same ? change : LOG_TOUCHED;
}

/* Take the file that the path names, if it is one, in place of the old one. */
static int look_anew(struct log *log)
{
	struct stat now;
	bool existed = log->exists;
	enum log_change change = LOG_REPLACED;
	int fd = open_regular(log->path, &now);
	if (nofollow_is_shortage(fd) || remote_is_unreachable(fd))
		return fd;
	if (fd >= 0 && log_is_parked(log))
		change = compare_parked(&log->st, &now);
	else if (fd >= 0 && existed && log->remote)
		change = compare(&log->st, &now);
	log_park(log);
	log->exists = fd >= 0;
	if (fd < 0) {
		log->st.st_size = 0;
		return existed ? LOG_DELETED : LOG_SAME;
	}
	log->fd = fd;
	log->st = now;
	log->acl = has_acl(fd);
	log->remote = remote_is(fd);
	return change;
}

int log_refresh(struct log *log)
{
	struct stat now;
	enum log_change change = log_peek(log, &now);
	bool changed = change != LOG_SAME && log->remote;
	if (change == LOG_REPLACED || changed || log_is_parked(log))
		return look_anew(log);
	log->st = now;
	log->acl = has_acl(log->fd);
	return change;
}

/*
 * Give the descriptor the file that its path names, if that has the same inode
 * number. sshfs fails every read of a file that was open when its connection
 * broke. Other threads may be reading: dup3(2) is atomic.
 */
static bool reconnect(const struct log *log)
{
	struct stat now;
	int fd = log->remote ? open_regular(log->path, &now) : -1;
	if (fd < 0)
		return false;
	bool done =
		same_file(&now, &log->st) && dup3(fd, log->fd, O_CLOEXEC) >= 0;
	close(fd);
	return done;
}

int log_read(const struct log *log, uint64_t offset, void *to, size_t n)
{
	ssize_t got = whole_read_at(log->fd, to, n, (off_t)offset);
	if (got < 0 && remote_is_unreachable((int)got) && reconnect(log))
		got = whole_read_at(log->fd, to, n, (off_t)offset);
	if (got < 0)
		return (int)got;
	return (size_t)got < n ? -ESTALE : 0;
}

/* The lock, or -EBUSY: a holder that does not let go must not hold us up. */
static int lock_soon(int fd)
{
	for (int waited = 0; flock(fd, LOCK_EX | LOCK_NB) < 0;
	     waited += LOCK_POLL_MS) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return -errno;
		if (waited >= LOCK_WAIT_MS)
			return -EBUSY;
		sleep_ms(LOCK_POLL_MS);
	}
	return 0;
}

int log_lock(const struct log *log)
{
	for (;;) {
		int fd = nofollow_open(
			log->path, O_RDWR | O_APPEND | O_NONBLOCK | O_NOCTTY);
		if (fd < 0)
			return fd;
		struct stat mine;
		int err = lock_soon(fd);
		if (!err)
			err = remote_stat(fd, &mine);
		if (!err && !S_ISREG(mine.st_mode))
			err = -EINVAL;
		if (err) {
			close(fd);
			return err;
		}
		/* Replaced while we waited: lock the new one. */
		if (log_is_locked(log, fd))
			return fd;
		close(fd);
	}
}

bool log_is_locked(const struct log *log, int lock)
{
	struct stat mine;
	struct stat now;
	return fstat(lock, &mine) == 0 && lstat(log->path, &now) == 0 &&
	       same_file(&mine, &now);
}

void log_unlock(int lock)
{
	close(lock);
}

static int last_byte(int fd, off_t size, char *c)
{
	ssize_t got = whole_read_at(fd, c, 1, size - 1);
	if (got < 0)
		return (int)got;
	return got == 1 ? 0 : -ESTALE;
}

/*
 * Does the file need a newline before the next line? A line without one may be
 * an agent's that is still being written in several pieces: as long as it
 * grows it is waited for, so that ours does not land in its middle.
 */
static int append_gap(int fd, off_t *size, bool *gap)
{
	struct stat st;
	off_t before = -1;
	int quiet_ms = 0;

	for (;;) {
		char c = '\n';
		int err = remote_stat(fd, &st);
		if (!err && st.st_size > 0)
			err = last_byte(fd, st.st_size, &c);
		if (err)
			return err;
		*size = st.st_size;
		*gap = c != '\n';
		quiet_ms = st.st_size == before ? quiet_ms + TORN_POLL_MS : 0;
		if (!*gap || quiet_ms >= TORN_WAIT_MS)
			return 0;
		before = st.st_size;
		sleep_ms(TORN_POLL_MS);
	}
}

/*
 * Take back a half-written line, unless somebody has appended behind it. Where
 * it begins is known from where the write has ended.
 */
static void undo_append(int fd, off_t end, ssize_t written)
{
	struct stat st;
	if (written > 0 && end >= written && fstat(fd, &st) == 0 &&
	    st.st_size == end && ftruncate(fd, end - written) == 0)
		fdatasync(fd);
}

/* What stopped a write: the limit on a file's size, or that there is no room.
 */
static int why_short(off_t wanted_end)
{
	struct rlimit l;
	bool limited = getrlimit(RLIMIT_FSIZE, &l) == 0 &&
		       l.rlim_cur != RLIM_INFINITY &&
		       (rlim_t)wanted_end > l.rlim_cur;
	return limited ? -EFBIG : -ENOSPC;
}

/* One write; all of it or, if that can be, nothing. */
static int write_once(int fd, struct span bytes)
{
	ssize_t n = whole_write_once(fd, bytes);
	if (n >= 0 && (size_t)n < bytes.n) {
		off_t end = lseek(fd, 0, SEEK_CUR);
		undo_append(fd, end, n);
		return why_short(end - n + (off_t)bytes.n);
	}
	return n < 0 ? (int)n : 0;
}

int log_sync(int lock)
{
	return fdatasync(lock) < 0 ? -errno : 0;
}

/*
 * The locked file, opened a second time. What is open for appending appends,
 * whatever the offset; and where sshfs has opened it so on its server, clearing
 * the flag here changes nothing.
 */
static int open_to_overwrite(const struct log *log, int lock)
{
	struct stat mine;
	struct stat now;
	int fd = nofollow_open(log->path, O_RDWR | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return fd;
	if (fstat(fd, &now) == 0 && fstat(lock, &mine) == 0 &&
	    same_file(&now, &mine))
		return fd;
	close(fd);
	return -ESTALE;
}

int log_overwrite(const struct log *log, int lock, struct span old,
		  struct span bytes)
{
	struct buf now = { 0 };
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
	buf_free(&now);
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
	struct buf out = { 0 };
	int err = append_gap(lock, &size, &gap);
	if (gap)
		buf_addc(&out, '\n');
	buf_add(&out, lines);
	if (!err)
		err = buf_error(&out);
	/* What the lines say was decided before that came. */
	if (!err && size != expected->st_size)
		err = -EAGAIN;
	if (!err)
		err = write_once(lock, buf_span(&out));
	buf_free(&out);
	return err;
}

/* Give the file a second name that is free: its own + suffix, then numbered. */
static int keep_beside(const struct newfile *f, const char *suffix)
{
	for (int i = 1; i < 1000; i++) {
		struct buf name = { 0 };
		buf_adds(&name, f->target);
		buf_adds(&name, suffix);
		if (i > 1)
			buf_addf(&name, ".%d", i);
		const char *to = buf_cstr(&name);
		int err = !to ? -ENOMEM
			  : linkat(f->folder, f->target, f->folder, to, 0) < 0
				  ? -errno
				  : 0;
		buf_free(&name);
		if (err != -EEXIST)
			return err;
	}
	return -EEXIST;
}

/*
 * Is the locked file what was read, and still the one whose place is taken?
 * What else there is would be lost.
 */
static int check_same(const struct newfile *f, int lock,
		      const struct stat *expected)
{
	struct stat now;
	struct stat named;
	if (fstat(lock, &now) < 0 ||
	    fstatat(f->folder, f->target, &named, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? -EAGAIN : -errno;
	return same_file(&now, &named) && same_bytes(&now, expected) ? 0
								     : -EAGAIN;
}

int log_replace(const char *path, int lock, const struct stat *expected,
		struct span bytes, const char *suffix)
{
	struct newfile f;
	int err = newfile_write(&f, path, bytes, expected, true);
	if (err)
		return err;
	err = check_same(&f, lock, expected);
	if (!err && suffix)
		err = keep_beside(&f, suffix);
	if (!err)
		return newfile_commit(&f);
	newfile_discard(&f);
	return err;
}

struct span log_skip_bom(struct span text)
{
	static const struct span mark = { "\xEF\xBB\xBF", 3 };
	if (span_starts(text, mark)) {
		text.p += mark.n;
		text.n -= mark.n;
	}
	return text;
}
