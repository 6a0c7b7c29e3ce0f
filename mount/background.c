#include "mount/background.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "core/file/whole.h"

/* Returns the parent's exit status. A child that fails closes fd unwritten. */
static int wait_ready(int fd)
{
	char byte;
	/* The child handles signals. Here they end the wait. */
	signal(SIGTERM, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	if (whole_read(fd, &byte, 1) == 1)
		return 0;
	fputs("sessfs: the daemon ended before the mount answered\n", stderr);
	return 1;
}

static int detach(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (null < 0)
		return -errno;
	if (setsid() < 0 || chdir("/") < 0 || dup2(null, 0) < 0 ||
	    dup2(null, 1) < 0 || dup2(null, 2) < 0)
		return -errno;
	if (null > 2)
		close(null);
	return 0;
}

int background_start(int *ready_fd)
{
	int fds[2];
	if (pipe2(fds, O_CLOEXEC) < 0)
		return -errno;
	pid_t child = fork();
	if (child < 0) {
		int err = -errno;
		close(fds[0]);
		close(fds[1]);
		return err;
	}
	if (child > 0) {
		close(fds[1]);
		/* Exit handlers would undo the child's mount. */
		_exit(wait_ready(fds[0]));
	}
	close(fds[0]);
	*ready_fd = fds[1];
	return detach();
}
