#include "core/file/regular.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "core/file/fault.h"
#include "core/file/nofollow.h"
#include "core/file/whole.h"

int regular_open(struct gate *g, const char *path, struct stat *st)
{
	int fd = nofollow_open(g, path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
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

/* Other threads may be reading: dup3(2) is atomic. */
static bool reconnect(const struct regular *f)
{
	struct stat now;
	int fd = f->remote ? regular_open(f->gate, f->path, &now) : -1;
	if (fd < 0)
		return false;
	bool done = version_same_file(version_of_stat(&now), f->was) &&
		    dup3(fd, f->fd, O_CLOEXEC) >= 0;
	close(fd);
	return done;
}

ssize_t regular_read_at(const struct regular *f, void *to, size_t n,
			off_t offset)
{
	ssize_t got = whole_read_at(f->fd, to, n, offset);
	if (got < 0 && fault_is_unreachable((int)got) && reconnect(f))
		got = whole_read_at(f->fd, to, n, offset);
	return got;
}
