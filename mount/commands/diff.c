#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/escape.h"
#include "core/file/whole.h"
#include "core/show/context.h"
#include "mount/cli/status.h"
#include "mount/cli/terminal.h"
#include "mount/commands/commands.h"
#include "mount/operands/target.h"

/* diff(1)'s exit status after an error. */
#define DIFF_TROUBLE 2

/* One of the two contexts. */
struct side {
	struct target t;
	char path[32]; /* of its bytes, for diff */
	int fd;
	const char *name;
};

/* Before the first entry there is no context. */
static int write_context(struct side *side)
{
	struct buf text = { 0 };
	int err = 0;
	side->fd = memfd_create("sessfs-context", 0);
	if (side->fd < 0)
		return -errno;
	if (side->t.at != INDEX_NONE)
		err = context_add(side->t.session, side->t.at,
				  MESSAGE_FORM_TEXT, &text);
	if (!err)
		err = buf_error(&text);
	if (!err)
		err = whole_write(side->fd, buf_span(&text));
	buf_free(&text);
	snprintf(side->path, sizeof(side->path), "/proc/self/fd/%d", side->fd);
	side->name = *side->t.entry ? side->t.entry : "tree";
	return err;
}

static int find_side(struct side *side, const char *entry, const char *path)
{
	if (target_entry(&side->t, entry, path) != STATUS_OK)
		return DIFF_TROUBLE;
	int err = write_context(side);
	if (!err)
		return STATUS_OK;
	(void)status_error(entry, err);
	return DIFF_TROUBLE;
}

/* Start diff. Its output can be read from *out; NULL: it is ours. */
static int start_diff(const struct side *a, const struct side *b, pid_t *pid,
		      int *out)
{
	int ends[2] = { -1, -1 };
	if (out && pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	*pid = fork();
	if (*pid == 0) {
		if (out && dup2(ends[1], STDOUT_FILENO) < 0)
			_exit(DIFF_TROUBLE);
		execlp("diff", "diff", "-a", "-u", "-L", a->name, "-L", b->name,
		       "--", a->path, b->path, (char *)NULL);
		fprintf(stderr, "sessfs: diff: %s\n", strerror(errno));
		_exit(DIFF_TROUBLE);
	}
	int err = *pid < 0 ? -errno : 0;
	if (out)
		close(ends[1]);
	if (out && err)
		close(ends[0]);
	if (out)
		*out = ends[0];
	return err;
}

static int wait_for(pid_t pid)
{
	int status;
	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return DIFF_TROUBLE;
	}
	/* A pager that is quit early ends diff: there is a difference. */
	if (WIFSIGNALED(status))
		return WTERMSIG(status) == SIGPIPE ? STATUS_FAILED
						   : DIFF_TROUBLE;
	return WEXITSTATUS(status);
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

/* Show what diff prints on a terminal, without control characters. */
static void paint(FILE *from, bool colors)
{
	char *text = NULL;
	size_t cap = 0;
	ssize_t n;
	struct buf line = { 0 };
	for (size_t number = 1; (n = getline(&text, &cap, from)) >= 0;
	     number++) {
		struct span given = { text, (size_t)n };
		const char *color = colors ? color_of(given, number) : NULL;
		buf_reset(&line);
		if (color)
			buf_addf(&line, "\033[%sm", color);
		escape_add_plain(&line, span_next_line(&given));
		buf_adds(&line, color ? "\033[m\n" : "\n");
		if (whole_write(STDOUT_FILENO, buf_span(&line)) < 0)
			break;
	}
	buf_free(&line);
	free(text);
}

static int compare(const struct side *a, const struct side *b)
{
	pid_t pid = -1;
	struct pager pager;
	int out = -1;
	bool colors = terminal_has_colors(STDOUT_FILENO);
	bool shown = terminal_is(STDOUT_FILENO);
	int err = start_diff(a, b, &pid, shown ? &out : NULL);
	if (err) {
		(void)status_error("diff", err);
		return DIFF_TROUBLE;
	}
	FILE *from = shown ? fdopen(out, "r") : NULL;
	if (from && pager_begin(&pager, "FRX") == 0) {
		paint(from, colors);
		(void)pager_end(&pager);
	}
	if (from)
		fclose(from);
	else if (shown)
		close(out);
	return wait_for(pid);
}

static int diff(const struct options *o)
{
	struct side a = { .fd = -1 };
	struct side b = { .fd = -1 };
	const char *path = o->n_names > 2 ? o->names[2] : NULL;
	int status = find_side(&a, o->names[0], path);
	if (!status)
		status = find_side(&b, o->names[1], path);
	if (!status &&
	    target_tell(a.t.is_remembered ? &a.t : &b.t) != STATUS_OK)
		status = DIFF_TROUBLE;
	if (!status)
		status = compare(&a, &b);
	target_free(&a.t);
	target_free(&b.t);
	if (a.fd >= 0)
		close(a.fd);
	if (b.fd >= 0)
		close(b.fd);
	return status;
}

static const struct option_row rows[] = { OPTION_ROW_END };

const struct command command_diff = {
	.name = "diff",
	.usage = "A B [PATH]",
	.help = "Compare the contexts at two entries, as diff -u does.\n\n"
		"Each " ENTRY_HELP ".\nPATH is the session, or in it.",
	.options = rows,
	.least = 2,
	.most = 3,
	.run = diff,
};
