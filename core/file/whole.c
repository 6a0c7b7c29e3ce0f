#include "core/file/whole.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#define LOCK_POLL_MS 2

/* Read at once where the size is not known. */
#define CHUNK ((size_t)64 << 10)

/* The offset of calls that use, and move, the one of the open file. */
#define OF_THE_FILE ((off_t)-1)

int whole_open(int folder, const char *name, int flags, mode_t mode)
{
	flags |= O_NOFOLLOW | O_CLOEXEC;
	int fd = TEMP_FAILURE_RETRY(openat(folder, name, flags, mode));
	return fd < 0 ? -errno : fd;
}

static ssize_t read_once(int fd, void *to, size_t n, off_t offset)
{
	ssize_t got = TEMP_FAILURE_RETRY(offset == OF_THE_FILE
						 ? read(fd, to, n)
						 : pread(fd, to, n, offset));
	return got < 0 ? -errno : got;
}

static ssize_t write_once(int fd, struct span bytes, off_t offset)
{
	ssize_t done = TEMP_FAILURE_RETRY(
		offset == OF_THE_FILE ? write(fd, bytes.p, bytes.n)
				      : pwrite(fd, bytes.p, bytes.n, offset));
	return done < 0 ? -errno : done;
}

ssize_t whole_read_at(int fd, void *to, size_t n, off_t offset)
{
	size_t have = 0;
	while (have < n) {
		ssize_t got =
			read_once(fd, (char *)to + have, n - have, offset);
		if (got < 0)
			return got;
		if (got == 0)
			break;
		have += (size_t)got;
		if (offset != OF_THE_FILE)
			offset += got;
	}
	return (ssize_t)have;
}

int whole_write_at(int fd, struct span bytes, off_t offset)
{
	while (bytes.n > 0) {
		ssize_t done = write_once(fd, bytes, offset);
		if (done < 0)
			return (int)done;
		/* A filesystem in user space may do this, again and again. */
		if (done == 0)
			return -EIO;
		span_take(&bytes, (size_t)done);
		if (offset != OF_THE_FILE)
			offset += done;
	}
	return 0;
}

int whole_write_end(int fd, struct buf *b)
{
	int err = buf_error(b);
	if (!err)
		err = whole_write(fd, buf_span(b));
	buf_free(b);
	return err;
}

ssize_t whole_read(int fd, void *to, size_t n)
{
	return whole_read_at(fd, to, n, OF_THE_FILE);
}

int whole_read_file(int fd, size_t n, struct buf *out)
{
	char *to = buf_reserve(out, n);
	ssize_t got = to ? whole_read_at(fd, to, n, 0) : -ENOMEM;
	if (got < 0)
		return (int)got;
	out->len += (size_t)got;
	return 0;
}

int whole_read_all(int fd, struct buf *out)
{
	ssize_t n = 1;
	while (n > 0) {
		char *to = buf_reserve(out, CHUNK);
		n = to ? whole_read(fd, to, CHUNK) : -ENOMEM;
		out->len += n > 0 ? (size_t)n : 0;
	}
	return (int)n;
}

int whole_write(int fd, struct span bytes)
{
	return whole_write_at(fd, bytes, OF_THE_FILE);
}

ssize_t whole_write_once(int fd, struct span bytes)
{
	return write_once(fd, bytes, OF_THE_FILE);
}

int whole_lock(int fd)
{
	return TEMP_FAILURE_RETRY(flock(fd, LOCK_EX)) < 0 ? -errno : 0;
}

int whole_lock_within(int fd, int ms)
{
	const struct timespec pause = { .tv_nsec = LOCK_POLL_MS * 1000000L };
	for (int waited = 0; flock(fd, LOCK_EX | LOCK_NB) < 0;
	     waited += LOCK_POLL_MS) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return -errno;
		if (waited >= ms)
			return -EBUSY;
		nanosleep(&pause, NULL);
	}
	return 0;
}

int whole_sync(int fd, int (*sync)(int fd))
{
	return TEMP_FAILURE_RETRY(sync(fd)) < 0 ? -errno : 0;
}
