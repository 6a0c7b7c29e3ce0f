#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/base/escape.h"
#include "core/file/whole.h"
#include "core/show/context.h"
#include "mount/cli/spawn.h"
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

/* Show what diff has printed on a terminal, without control characters. */
static void paint(struct span text, bool colors)
{
	struct buf line = { 0 };
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
	buf_free(&line);
}

/* Run diff: its exit status, as of spawn_wait(). */
static int run_diff(const char *const argv[])
{
	const int fds[3] = { -1, -1, -1 };
	struct buf out = { 0 };
	struct pager pager;
	bool colors = terminal_has_colors(STDOUT_FILENO);
	if (!terminal_is(STDOUT_FILENO))
		return spawn_wait(argv, fds);
	int status = spawn_filter(argv, NULL, &out, false);
	if (status >= 0 && pager_begin(&pager, "FRX") == 0) {
		paint(buf_span(&out), colors);
		(void)pager_end(&pager);
	}
	buf_free(&out);
	return status;
}

static int compare(const struct side *a, const struct side *b)
{
	const char *const argv[] = { "diff",  "-a",    "-u",	"-L",
				     a->name, "-L",    b->name, "--",
				     a->path, b->path, NULL };
	int status = run_diff(argv);
	if (status < 0)
		(void)status_error("diff", status);
	/* Nobody reads on: there is a difference. */
	if (status == 128 + SIGPIPE)
		return STATUS_FAILED;
	return status < 0 || status > DIFF_TROUBLE ? DIFF_TROUBLE : status;
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
