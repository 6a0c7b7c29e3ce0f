#include "core/file/proc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "core/file/fault.h"
#include "core/file/whole.h"

int proc_error(int err)
{
	return fault_tells_nothing(err) ? err : 0;
}

int proc_link(int at, const char *name, char to[PATH_MAX])
{
	ssize_t n = readlinkat(at, name, to, PATH_MAX - 1);
	to[n > 0 ? n : 0] = '\0';
	return n < 0 ? proc_error(-errno) : n > 0;
}

ssize_t proc_read(int at, const char *name, char *to, size_t size)
{
	to[0] = '\0';
	int fd = whole_open(at, name, O_RDONLY, 0);
	if (fd < 0)
		return proc_error(fd);
	ssize_t n = whole_read(fd, to, size - 1);
	close(fd);
	to[n > 0 ? n : 0] = '\0';
	return n < 0 ? proc_error((int)n) : n;
}

int proc_descriptors(int process, proc_look_fn *look, void *data)
{
	int fd = whole_open(process, "fd", O_RDONLY | O_DIRECTORY, 0);
	if (fd < 0)
		return proc_error(fd);
	DIR *fds = fdopendir(fd);
	if (!fds) {
		int err = proc_error(-errno);
		close(fd);
		return err;
	}
	int got = 0;
	const struct dirent *e;
	errno = 0;
	while (got == 0 && (e = readdir(fds)) != NULL) {
		got = look(fd, e->d_name, data);
		errno = 0;
	}
	if (got == 0)
		got = proc_error(-errno);
	closedir(fds);
	return got;
}
