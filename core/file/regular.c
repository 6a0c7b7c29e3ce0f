#include "core/file/regular.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/file/fault.h"
#include "core/file/gate.h"
#include "core/file/nofollow.h"
#include "core/file/remote.h"
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

int regular_read(struct gate *g, const char *path, off_t limit, struct stat *st,
		 struct buf *out)
{
	int fd = regular_open(g, path, st);
	if (fd < 0)
		return fd;
	int err = st->st_size > limit
			  ? -EFBIG
			  : whole_read_file(fd, (size_t)st->st_size, out);
	close(fd);
	return err;
}

struct regular *regular_new(struct gate *g, const char *path)
{
	struct regular *f = malloc(sizeof(*f));
	if (f)
		*f = (struct regular){ .gate = g,
				       .path = path,
				       .held = { .fd = -1 } };
	return f;
}

void regular_free(struct regular *f)
{
	if (f)
		open_files_keep(gate_files(f->gate), &f->held, -1);
	free(f);
}

int regular_renew(struct regular *f, struct stat *st)
{
	int fd = regular_open(f->gate, f->path, st);
	if (fd < 0)
		return fd;
	f->was = version_of_stat(st);
	struct held_folders *held = gate_folders(f->gate);
	f->remote = held ? held_folders_is_remote(held, fd, st->st_dev)
			 : remote_is(fd);
	open_files_keep(gate_files(f->gate), &f->held, fd);
	return 0;
}

/* Open the same file again: its descriptor, -ESTALE, or another -errno. */
static int open_again(const struct regular *f)
{
	struct stat now;
	int fd = regular_open(f->gate, f->path, &now);
	if (fd < 0)
		return fault_tells_nothing(fd) ? fd : -ESTALE;
	if (version_same_file(version_of_stat(&now), f->was))
		return fd;
	close(fd);
	return -ESTALE;
}

/* Other threads may be reading: dup3(2) is atomic. */
static bool reconnect(const struct regular *f, int old)
{
	int fd = f->remote ? open_again(f) : -1;
	bool done = fd >= 0 && dup3(fd, old, O_CLOEXEC) >= 0;
	if (fd >= 0)
		close(fd);
	return done;
}

ssize_t regular_read_at(struct regular *f, void *to, size_t n, off_t offset)
{
	int fd = open_files_use(gate_files(f->gate), &f->held, -1);
	if (fd < 0) {
		fd = open_again(f);
		if (fd < 0)
			return fd;
		fd = open_files_use(gate_files(f->gate), &f->held, fd);
	}
	ssize_t got = whole_read_at(fd, to, n, offset);
	if (got < 0 && fault_is_unreachable((int)got) && reconnect(f, fd))
		got = whole_read_at(fd, to, n, offset);
	open_files_done(gate_files(f->gate), &f->held);
	return got;
}
