#include "core/newfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int write_all(int fd, struct span s)
{
	while (s.n > 0) {
		ssize_t n = write(fd, s.p, s.n);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		s.p += n;
		s.n -= (size_t)n;
	}
	return 0;
}

/* The path of a file's folder as a C string; NULL without memory. */
static const char *folder_of(struct buf *out, const char *path)
{
	const char *slash = strrchr(path, '/');
	if (slash)
		buf_add(out, (struct span){ path, (size_t)(slash - path) + 1 });
	else
		buf_adds(out, ".");
	return buf_cstr(out);
}

bool newfile_is_possible(const char *path)
{
	struct buf folder = { 0 };
	const char *name = folder_of(&folder, path);
	bool possible = name && access(name, W_OK | X_OK) == 0;
	buf_free(&folder);
	return possible;
}

static int sync_folder(const char *path)
{
	struct buf folder = { 0 };
	const char *name = folder_of(&folder, path);
	int err = name ? 0 : -ENOMEM;
	if (!err) {
		int fd = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		/* One that can't be read can't be synced; the rename is done.
		 */
		if (fd < 0 ? errno != EACCES : fsync(fd) < 0)
			err = -errno;
		if (fd >= 0)
			close(fd);
	}
	buf_free(&folder);
	return err;
}

/* The new file's bytes, owner, mode and durability. */
static int fill_file(int fd, struct span bytes, const struct stat *like,
		     bool keep_owner)
{
	int err = write_all(fd, bytes);
	if (err)
		return err;
	struct stat own;
	if (fchown(fd, like->st_uid, like->st_gid) < 0 &&
	    fchown(fd, (uid_t)-1, like->st_gid) < 0 && keep_owner)
		return -errno;
	if (fstat(fd, &own) < 0)
		return -errno;
	if (keep_owner &&
	    (own.st_uid != like->st_uid || own.st_gid != like->st_gid))
		return -EPERM;
	if (fchmod(fd, like->st_mode & 07777) < 0 || fsync(fd) < 0)
		return -errno;
	return 0;
}

int newfile_write(struct newfile *f, const char *path, struct span bytes,
		  const struct stat *like, bool keep_owner)
{
	*f = (struct newfile){ .path = path };
	buf_adds(&f->name, path);
	buf_adds(&f->name, ".sessfs-XXXXXX");
	if (!buf_cstr(&f->name)) {
		buf_free(&f->name);
		return -ENOMEM;
	}
	int fd = mkostemp(f->name.data, O_CLOEXEC);
	if (fd < 0) {
		int err = -errno;
		buf_free(&f->name);
		return err;
	}
	int err = fill_file(fd, bytes, like, keep_owner);
	if (close(fd) < 0 && !err)
		err = -errno;
	if (err)
		newfile_discard(f);
	return err;
}

int newfile_commit(struct newfile *f)
{
	int err = 0;
	if (rename(f->name.data, f->path) < 0) {
		err = -errno;
		unlink(f->name.data);
	}
	buf_free(&f->name);
	return err ? err : sync_folder(f->path);
}

void newfile_discard(struct newfile *f)
{
	unlink(f->name.data);
	buf_free(&f->name);
}
