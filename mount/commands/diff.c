#include <signal.h>
#include <unistd.h>

#include "core/session/message.h"
#include "mount/cli/status.h"
#include "mount/cli/terminal.h"
#include "mount/commands/commands.h"
#include "mount/operands/target.h"

/* diff(1)'s exit status after an error. */
#define DIFF_TROUBLE 2

/* One of the two contexts. */
struct side {
	struct target t;
	struct buf text;
};

/* Before the first entry there is no context. */
static int find_side(struct side *side, const char *entry, const char *path)
{
	if (target_entry(&side->t, entry, path) != STATUS_OK)
		return DIFF_TROUBLE;
	int err = side->t.at == INDEX_NONE
			  ? 0
			  : context_add(side->t.session, side->t.at,
					MESSAGE_FORM_TEXT, &side->text);
	if (!err)
		err = buf_error(&side->text);
	if (!err)
		return STATUS_OK;
	(void)status_error(entry, err);
	return DIFF_TROUBLE;
}

static struct diff_side shown(const struct side *side)
{
	const char *entry = side->t.entry;
	return (struct diff_side){ *entry ? entry : "tree",
				   buf_span(&side->text) };
}

static int compare(const struct side *a, const struct side *b)
{
	struct pager pager;
	bool shows = isatty(STDOUT_FILENO);
	bool colors = terminal_has_colors(STDOUT_FILENO);
	int status = pager_begin(&pager);
	if (!status)
		status = text_diff_print(shown(a), shown(b), shows, colors);
	(void)pager_end(&pager, 0);
	if (status < 0)
		(void)status_error("diff", status);
	/* Nobody reads on: there is a difference. */
	if (status == 128 + SIGPIPE)
		return STATUS_FAILED;
	return status < 0 || status > DIFF_TROUBLE ? DIFF_TROUBLE : status;
}

static int diff(const struct options *o)
{
	struct side a = { 0 };
	struct side b = { 0 };
	const char *path = o->n_names > 2 ? o->names[2] : NULL;
	int status = find_side(&a, o->names[0], path);
	/* The second one would find it empty. */
	if (!status && path && session_file_is_pipe(&a.t.file))
		status = status_trouble(path, "is a pipe, and read only once");
	if (!status)
		status = find_side(&b, o->names[1], path);
	if (!status &&
	    target_tell(a.t.is_remembered ? &a.t : &b.t, false) != STATUS_OK)
		status = DIFF_TROUBLE;
	if (!status)
		status = compare(&a, &b);
	target_free(&a.t);
	target_free(&b.t);
	buf_free(&a.text);
	buf_free(&b.text);
	return status;
}

const struct command command_diff = {
	.name = "diff",
	.usage = "A B [PATH]",
	.help = "Compare the contexts at two entries, as diff -u does.\n\n"
		"Each " ENTRY_HELP ".\nPATH is the session, or in it.",
	.least = 2,
	.most = 3,
	.run = diff,
};
