#include "mount/cli/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

bool terminal_is(int fd)
{
	return isatty(fd) == 1;
}

size_t terminal_columns(int fd)
{
	struct winsize size;
	return ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

size_t terminal_rows(int fd)
{
	struct winsize size;
	return ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_row : 0;
}

bool terminal_is_dumb(void)
{
	const char *term = getenv("TERM");
	return !term || !*term || strcmp(term, "dumb") == 0;
}

bool terminal_has_colors(int fd)
{
	const char *off = getenv("NO_COLOR");
	return terminal_is(fd) && (!off || !*off) && !terminal_is_dumb();
}

/* In the child. An empty $PAGER is no pager. less asks on a dumb terminal. */
static void become_pager(void)
{
	const char *pager = getenv("PAGER");
	if (!pager && !terminal_is_dumb())
		pager = "if command -v less >/dev/null; then exec less -KR; "
			"else exec cat; fi";
	else if (!pager || !*pager)
		pager = "cat";
	signal(SIGPIPE, SIG_DFL);
	(void)setenv("LESS", "FRX", 0);
	execl("/bin/sh", "sh", "-c", pager, (char *)NULL);
	_exit(127);
}

int pager_begin(struct pager *p)
{
	int ends[2];
	*p = (struct pager){ 0 };
	if (!terminal_is(STDOUT_FILENO))
		return 0;
	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	/* That it is quit early is no reason to die. */
	signal(SIGPIPE, SIG_IGN);
	fflush(stdout);
	p->out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	p->pid = p->out < 0 ? -1 : fork();
	if (p->pid == 0 && dup2(ends[0], STDIN_FILENO) >= 0)
		become_pager();
	if (p->pid == 0)
		_exit(127);
	int err = p->pid < 0 || dup2(ends[1], STDOUT_FILENO) < 0 ? -errno : 0;
	close(ends[0]);
	close(ends[1]);
	return err;
}

int pager_end(struct pager *p, int err)
{
	if (fflush(stdout) == EOF && !err)
		err = -errno;
	if (err == -EPIPE)
		err = 0;
	if (p->pid <= 0)
		return err;
	/* Its input ends, and the terminal is standard output again. */
	if (dup2(p->out, STDOUT_FILENO) < 0 && !err)
		err = -errno;
	close(p->out);
	pid_t got;
	do
		got = waitpid(p->pid, NULL, 0);
	while (got < 0 && errno == EINTR);
	*p = (struct pager){ 0 };
	return err;
}
