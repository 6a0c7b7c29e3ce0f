#include "mount/cli/text_diff.h"

#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/base/escape.h"
#include "core/file/whole.h"
#include "mount/cli/spawn.h"

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

static const char *color_of(struct span line, size_t number)
{
	if (number <= 2)
		return "1";
	switch (line.n > 0 ? line.p[0] : '\0') {
	case '@':
		return "36";
	case '-':
		return "31";
	case '+':
		return "32";
	default:
		return NULL;
	}
}

static void paint(struct span text, bool colors)
{
	struct buf line BUF_SCOPED = { 0 };
	for (size_t number = 1; text.n > 0; number++) {
		struct span given = span_next_line(&text);
		const char *color = colors ? color_of(given, number) : NULL;
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
