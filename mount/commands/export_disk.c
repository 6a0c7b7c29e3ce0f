#include "mount/commands/export_disk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/file/whole.h"

/* Set mode and times unless there is an error, and close. First error wins. */
static int finish(int fd, mode_t mode, const struct stat *like, int err)
{
	const struct timespec times[] = { like->st_mtim, like->st_mtim };
	if (!err && (fchmod(fd, mode) < 0 || futimens(fd, times) < 0))
		err = -errno;
	if (close(fd) < 0 && !err)
		err = -errno;
	return err;
}

int export_write(int folder, const char *name, struct span bytes,
		 const struct stat *like)
{
	int fd = openat(folder, name,
			O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			0600);
	if (fd < 0)
		return -errno;
	return finish(fd, like->st_mode & 0777, like, whole_write(fd, bytes));
}

int export_link(int folder, const char *name, const char *target,
		const struct stat *like)
{
	const struct timespec times[] = { like->st_mtim, like->st_mtim };
	if (symlinkat(target, folder, name) < 0 ||
	    utimensat(folder, name, times, AT_SYMLINK_NOFOLLOW) < 0)
		return -errno;
	return 0;
}

int export_make_folder(int folder, const char *name)
{
	if (mkdirat(folder, name, 0700) < 0)
		return -errno;
	int fd = openat(folder, name,
			O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int export_end_folder(int fd, const struct stat *like)
{
	return finish(fd, (like->st_mode & 0777) | S_IRWXU, like, 0);
}

bool export_is_empty(int folder)
{
	int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	unsigned n = 0;
	if (!dir) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	while (n < 3 && readdir(dir))
		n++;
	closedir(dir);
	return n < 3; /* "." and ".." */
}

void export_raise_limit(void)
{
	struct rlimit files;
	if (getrlimit(RLIMIT_NOFILE, &files) < 0)
		return;
	files.rlim_cur = files.rlim_max;
	setrlimit(RLIMIT_NOFILE, &files);
}
