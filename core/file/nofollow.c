#include "core/file/nofollow.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/file/gate.h"

/* Open the component that ends at path[n] in a folder. */
static int open_in(struct gate *g, const char *path, size_t n, int folder,
		   const char *name, int flags)
{
	int fd;
	do
		fd = gate_open(gate_at(g, path, n), folder, name, flags);
	while (open_files_make_room(gate_files(g), fd));
	return fd;
}

/* The same, and close the folder, unless it is AT_FDCWD. */
static int step(struct gate *g, const char *path, size_t n, int folder,
		const char *name, int flags)
{
	int fd = open_in(g, path, n, folder, name, flags);
	if (folder != AT_FDCWD)
		close(folder);
	return fd;
}

int nofollow_open_folder(struct gate *g, const char *path)
{
	char name[NAME_MAX + 1];
	const char *slash;

	if (path[0] != '/')
		return -EINVAL;
	int fd = step(g, path, 0, AT_FDCWD, "/", O_PATH | O_DIRECTORY);
	for (const char *at = path + 1; fd >= 0 && (slash = strchr(at, '/'));
	     at = slash + 1) {
		size_t n = (size_t)(slash - at);
		if (n > NAME_MAX) {
			close(fd);
			return -ENAMETOOLONG;
		}
		memcpy(name, at, n);
		name[n] = '\0';
		if (n > 0)
			fd = step(g, path, (size_t)(slash - path), fd, name,
				  O_PATH | O_DIRECTORY);
	}
	return fd;
}

/* The folder of a file, for done_with_folder(). */
static int use_folder(struct gate *g, const char *path)
{
	struct held_folders *held = gate_folders(g);
	struct span folder = { path, (size_t)(nofollow_name(path) - path) };
	int fd = held ? held_folders_use(held, folder) : -1;
	if (fd >= 0)
		return fd;
	fd = nofollow_open_folder(g, path);
	if (fd >= 0 && held)
		held_folders_keep(held, folder, fd);
	return fd;
}

static void done_with_folder(struct gate *g, int fd)
{
	struct held_folders *held = gate_folders(g);
	if (held)
		held_folders_done(held, fd);
	else
		close(fd);
}

int nofollow_open(struct gate *g, const char *path, int flags)
{
	int folder = use_folder(g, path);
	if (folder < 0)
		return folder;
	int fd = open_in(g, path, strlen(path), folder, nofollow_name(path),
			 flags);
	done_with_folder(g, folder);
	return fd;
}

int nofollow_open_dir(struct gate *g, const char *path, DIR **dir)
{
	int fd = nofollow_open(g, path, O_RDONLY | O_DIRECTORY);
	if (fd < 0)
		return fd;
	*dir = fdopendir(fd);
	int err = *dir ? 0 : -errno;
	if (err)
		close(fd);
	return err;
}

int nofollow_stat(struct gate *g, const char *path, struct stat *st)
{
	int folder = use_folder(g, path);
	if (folder < 0)
		return folder;
	int err = gate_stat_in(gate_at(g, path, strlen(path)), folder,
			       nofollow_name(path), st);
	done_with_folder(g, folder);
	return err;
}

const char *nofollow_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}
