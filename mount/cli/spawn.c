#include "mount/cli/spawn.h"

#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/file/whole.h"

static int wait_for(pid_t pid)
{
	int status;
	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return -errno;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int spawn_wait(const char *const argv[], const int *fds)
{
	posix_spawn_file_actions_t actions;
	pid_t pid;
	int err = posix_spawn_file_actions_init(&actions);
	if (err)
		return -err;
	for (int i = 0; fds && i < 3 && !err; i++) {
		if (fds[i] >= 0)
			err = posix_spawn_file_actions_adddup2(&actions, fds[i],
							       i);
	}
	if (!err)
		err = posix_spawnp(&pid, argv[0], &actions, NULL,
				   (char *const *)argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	return err ? -err : wait_for(pid);
}

/* A file in memory, so neither side waits for the other; or -errno. */
static int make_file(const struct buf *text)
{
	int fd = memfd_create("sessfs-child", MFD_CLOEXEC);
	if (fd < 0)
		return -errno;
	int err = text ? whole_write_at(fd, buf_span(text), 0) : 0;
	if (!err)
		return fd;
	close(fd);
	return err;
}

int spawn_filter(const char *const argv[], const struct buf *input,
		 struct buf *output, bool of_stderr)
{
	struct stat st;
	int in = input ? make_file(input) : -1;
	if (input && in < 0)
		return in;
	int out = make_file(NULL);
	int status = out;
	if (out >= 0) {
		const int fds[3] = { in, of_stderr ? -1 : out,
				     of_stderr ? out : -1 };
		status = spawn_wait(argv, fds);
		int err = fstat(out, &st) < 0
				  ? -errno
				  : whole_read_file(out, (size_t)st.st_size,
						    output);
		status = err ? err : status;
		close(out);
	}
	if (in >= 0)
		close(in);
	return status;
}

void spawn_add_self(struct buf *out)
{
	char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);
	path[n > 0 ? n : 0] = '\0';
	/* A program that was replaced since can be run as this link. */
	buf_adds(out,
		 n > 0 && access(path, X_OK) == 0 ? path : "/proc/self/exe");
}

/* Find a program in PATH: the first file of this name that can be run. */
static bool find(const char *name, struct stat *st)
{
	const char *dirs = getenv("PATH");
	struct span rest = span_of(dirs ? dirs : "/usr/bin:/bin");
	bool found = false;
	while (rest.n > 0 && !found) {
		struct span dir = span_next(&rest, ':');
		struct buf path BUF_SCOPED = { 0 };
		buf_add(&path, dir.n > 0 ? dir : SPAN("."));
		buf_addf(&path, "/%s", name);
		const char *text = buf_cstr(&path);
		found = text && stat(text, st) == 0 && S_ISREG(st->st_mode) &&
			access(text, X_OK) == 0;
	}
	return found;
}

bool spawn_finds(const char *name)
{
	struct stat st;
	return find(name, &st);
}

bool spawn_finds_self(const char *name)
{
	struct stat found;
	struct stat self;
	return find(name, &found) && stat("/proc/self/exe", &self) == 0 &&
	       found.st_dev == self.st_dev && found.st_ino == self.st_ino;
}
