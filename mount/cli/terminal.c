#include "mount/cli/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/columns.h"
#include "core/base/escape.h"
#include "core/base/text.h"
#include "core/file/whole.h"
#include "core/json/timestamp.h"
#include "mount/cli/spawn.h"

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

/* Can it only show line after line? $TERM is "dumb", empty or not set then. */
static bool is_dumb(void)
{
	const char *term = getenv("TERM");
	return !term || !*term || strcmp(term, "dumb") == 0;
}

bool terminal_has_colors(int fd)
{
	const char *off = getenv("NO_COLOR");
	return isatty(fd) && (!off || !*off) && !is_dumb();
}

/* In the child. An empty $PAGER is no pager. less asks on a dumb terminal. */
static void become_pager(void)
{
	const char *pager = getenv("PAGER");
	if (!pager && !is_dumb())
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
	if (!isatty(STDOUT_FILENO))
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
	/* Nobody reads on: that is no error. */
	if (err == -EPIPE) {
		clearerr(stdout);
		err = 0;
	}
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

/* The least time between two drawings, in ms. */
#define REDRAW_MS 100

/* Columns of the bar, of " []", of " 43%", and of the shortest useful name. */
#define BAR 24
#define AROUND_BAR 3
#define PERCENT 4
#define SHORT_NAME 12

#define WIPE "\r\033[K"

/* "sessfs: reading NAME", cut to the given columns. */
static void add_words(const struct progress *p, size_t most, struct buf *out)
{
	struct buf name BUF_SCOPED = BUF_INTO(out);
	struct buf words BUF_SCOPED = BUF_INTO(out);
	text_add_utf8(&name, span_last_part(span_of(p->name)));
	buf_addf(&words, "sessfs: %s ", p->doing);
	text_add_one_line(&words, buf_span(&name));
	columns_add_cut(out, buf_span(&words), most);
}

static void draw(struct progress *p, unsigned percent)
{
	struct buf line BUF_SCOPED = { 0 };
	size_t columns = terminal_columns(STDERR_FILENO);
	/* Without the last one: some terminals wrap after writing to it. */
	columns = columns > 0 ? columns - 1 : 79;
	size_t words = strlen("sessfs:  ") + strlen(p->doing) + SHORT_NAME;
	bool bar = columns >= words + BAR + AROUND_BAR + PERCENT + 1;
	size_t rest = PERCENT + 1 + (bar ? BAR + AROUND_BAR : 0);
	buf_adds(&line, WIPE);
	add_words(p, columns > rest ? columns - rest : 0, &line);
	if (bar) {
		buf_adds(&line, " [");
		buf_fill(&line, '#', percent * BAR / 100);
		buf_fill(&line, '.', BAR - percent * BAR / 100);
		buf_addc(&line, ']');
	}
	if (columns >= PERCENT + 1)
		buf_addf(&line, " %3u%%", percent);
	/* A failed drawing is not an error. */
	p->drawn = !buf_error(&line) &&
		   write(STDERR_FILENO, line.data, line.len) > 0;
}

void progress_start(struct progress *p, const char *doing, const char *name,
		    int64_t delay)
{
	/* Can a line be wiped? */
	bool can_draw = isatty(STDERR_FILENO) && !is_dumb();
	p->doing = doing;
	p->name = name;
	p->next = can_draw ? timestamp_monotonic() + delay : INT64_MAX;
	if (delay == 0)
		progress_at(p, 0, 1);
}

void progress_at(void *progress, uint64_t done, uint64_t total)
{
	struct progress *p = progress;
	if (p->next == INT64_MAX)
		return;
	int64_t now = timestamp_monotonic();
	if (now < p->next)
		return;
	p->next = now + REDRAW_MS;
	draw(p, done < total ? (unsigned)(done * 100 / total) : 100);
}

void progress_end(struct progress *p)
{
	if (p->drawn && write(STDERR_FILENO, WIPE, strlen(WIPE)) < 0)
		return;
	p->drawn = false;
}

/* A file that diff reads by its path. A descriptor, or -errno. */
static int put(struct span text, char path[32])
{
	int fd = memfd_create("sessfs-diff", 0);
	int err = fd < 0 ? -errno : whole_write(fd, text);
	if (err && fd >= 0)
		close(fd);
	snprintf(path, 32, "/proc/self/fd/%d", fd);
	return err ? err : fd;
}

const char *text_diff_color(char sign)
{
	return sign == '+'   ? "32"
	       : sign == '-' ? "31"
	       : sign == '@' ? "36"
			     : NULL;
}

static void paint(struct span text, bool colors)
{
	struct buf line BUF_SCOPED = { 0 };
	for (size_t number = 1; text.n > 0; number++) {
		struct span given = span_next_line(&text);
		const char *color =
			number <= 2
				? "1"
				: text_diff_color(given.n > 0 ? *given.p : ' ');
		if (!colors)
			color = NULL;
		buf_reset(&line);
		if (color)
			buf_addf(&line, "\033[%sm", color);
		escape_add_plain(&line, given);
		buf_adds(&line, color ? "\033[m\n" : "\n");
		if (whole_write(STDOUT_FILENO, buf_span(&line)) < 0)
			break;
	}
}

int text_diff_print(struct diff_side a, struct diff_side b, bool shows,
		    bool colors)
{
	char paths[2][32];
	const char *const argv[] = { "diff",   "-a",	 "-u",	 "-L",
				     a.name,   "-L",	 b.name, "--",
				     paths[0], paths[1], NULL };
	int old = put(a.text, paths[0]);
	int new = old < 0 ? old : put(b.text, paths[1]);
	struct buf out BUF_SCOPED = { 0 };
	int status = new;
	/* What was printed before comes first. */
	if (new >= 0 && fflush(stdout) != 0)
		status = -EIO;
	else if (new >= 0)
		status = shows ? spawn_filter(argv, NULL, &out, false)
			       : spawn_wait(argv, NULL);
	if (status >= 0 && shows)
		paint(buf_span(&out), colors);
	if (old >= 0)
		close(old);
	if (new >= 0)
		close(new);
	return status;
}
