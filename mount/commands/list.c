#include "mount/commands/commands.h"

#include <limits.h>
#include <unistd.h>

#include "core/base/columns.h"
#include "mount/cli/status.h"
#include "mount/cli/terminal.h"
#include "mount/operands/selection.h"

/* The agent stands before lines that no SOURCE names. */
static int print_lines(const struct selection *s, bool resumable)
{
	bool for_people = isatty(STDOUT_FILENO);
	size_t width = terminal_columns(STDOUT_FILENO);
	struct buf out = { 0 };
	for (size_t i = 0; i < s->rows.n; i++) {
		const struct session_row *row = s->rows.list[i];
		if (resumable && !row->summary.resumable)
			continue;
		if (for_people) {
			/* Lines for programs are wider than a terminal. */
			struct buf line BUF_SCOPED = BUF_INTO(&out);
			selection_add_text(row, &line);
			columns_add_cut(&out, buf_span(&line),
					width > 0 ? width : SIZE_MAX);
			buf_addc(&out, '\n');
			continue;
		}
		if (s->folders.n > 0)
			buf_addf(&out, "%s\t",
				 s->folders.list[row->source].agent->name);
		summary_add_line(&row->summary, span_of(row->shown), &out);
	}
	int status = status_print(&out);
	return status ? status : s->status;
}

static int list_print(const struct options *o)
{
	const struct select_options *own = o->own;
	struct select_by by = { .forced = o->dialect };
	struct selection s = { 0 };
	int status = select_parse(&by, own, "list");
	if (!status)
		status = selection_make(&s, &by, o->names, o->n_names);
	if (!status)
		status = print_lines(&s, o->resumable);
	/* A project's directory has no sessions in it, mostly. */
	if (!status && s.rows.n == 0 && select_is_given(own))
		(void)select_report_none(own, "list");
	else if (!status && s.catalogue.rows.n == 0 && o->n_names == 1)
		status_report(o->source, "no sessions in this folder (--here "
					 "lists those of a directory)");
	selection_free(&s);
	select_by_free(&by);
	return status;
}

static const struct option_row rows[] = {
	SELECT_ROWS(0),
	OPTION_ROW_SESSION_OF(TAKEN_BY_LIST),
	{ 0 },
};

const struct command command_list = {
	.name = "list",
	.usage = "[SOURCE...]",
	.help = "Print a line for each session, the newest first.",
	.options = rows,
	.size = sizeof(struct select_options),
	.most = UINT_MAX,
	.run = list_print,
};
