#include "core/file/nofollow.h"

#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/file/remote.h"
#include "core/file/whole.h"

bool nofollow_tells_nothing(int err)
{
	return nofollow_is_shortage(err) || remote_is_unreachable(err) ||
	       err == -ENOMEM || err == -EIO || err == -EINTR;
}

/* Open a file in a folder, and close the folder, unless it is AT_FDCWD. */
static int step(int folder, const char *name, int flags)
{
	int fd = whole_open(folder, name, flags, 0);
	if (folder != AT_FDCWD)
		close(folder);
	return fd;
}

int nofollow_open_folder(const char *path)
{
	char name[NAME_MAX + 1];
	const char *slash;

	if (path[0] != '/')
		return -EINVAL;
	int fd = step(AT_FDCWD, "/", O_PATH | O_DIRECTORY);
	for (path++; fd >= 0 && (slash = strchr(path, '/')); path = slash + 1) {
		size_t n = (size_t)(slash - path);
		if (n > NAME_MAX) {
			close(fd);
			return -ENAMETOOLONG;
		}
		memcpy(name, path, n);
		name[n] = '\0';
		if (n > 0)
			fd = step(fd, name, O_PATH | O_DIRECTORY);
	}
	return fd;
}

int nofollow_open(const char *path, int flags)
{
	int folder = nofollow_open_folder(path);
	return folder < 0 ? folder : step(folder, nofollow_name(path), flags);
}

int nofollow_stat(const char *path, struct stat *st)
{
	int folder = nofollow_open_folder(path);
	if (folder < 0)
		return folder;
	int err = fstatat(folder, nofollow_name(path), st,
			  AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH) < 0
			  ? -errno
			  : 0;
	close(folder);
	return err;
}

const char *nofollow_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}
