#include "mount/commands/commands.h"

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/file/whole.h"
#include "mount/cli/status.h"
#include "mount/operands/selection.h"

struct list_options {
	struct select_options select;
};

/* So much is written at once. */
#define CHUNK ((size_t)64 << 10)

static int write_lines(struct buf *out)
{
	int err = buf_error(out);
	if (!err)
		err = whole_write(STDOUT_FILENO, buf_span(out));
	buf_clear(out);
	return err;
}

/* The agent stands before lines that no SOURCE names. */
static int print_lines(const struct selection *s, bool resumable)
{
	struct buf out = { 0 };
	int err = 0;
	for (size_t i = 0; i < s->rows.n && !err; i++) {
		const struct session_row *row = s->rows.list[i];
		if (resumable && !row->summary.resumable)
			continue;
		if (s->folders.n > 0)
			buf_addf(&out, "%s\t", selection_agent(s, row)->name);
		summary_add_line(&row->summary, span_of(row->shown), &out);
		if (out.len >= CHUNK)
			err = write_lines(&out);
	}
	if (!err)
		err = write_lines(&out);
	buf_free(&out);
	return err ? status_output(err) : s->status;
}

/* A project's directory has no sessions in it, mostly. */
static void tell_none(const struct options *o, const struct selection *s)
{
	const struct list_options *own = o->own;
	if (s->catalogue.rows.n == 0 && s->status == STATUS_OK &&
	    o->n_names == 1 && !select_is_given(&own->select))
		status_report(o->source, "no sessions in this folder (--here "
					 "lists those of a directory)");
}

static int list_print(const struct options *o)
{
	const struct list_options *own = o->own;
	struct select_by by = { .forced = o->dialect };
	struct selection s = { 0 };
	int status = select_parse(&by, &own->select, "list");
	if (!status)
		status = selection_make(&s, &by, o->names, o->n_names);
	if (!status)
		status = print_lines(&s, o->resumable);
	if (!status)
		tell_none(o, &s);
	selection_free(&s);
	select_by_free(&by);
	return status;
}

static const struct option_row rows[] = {
	SELECT_ROWS(offsetof(struct list_options, select)),
	OPTION_ROW_SESSION_OF(TAKEN_BY_LIST),
	OPTION_ROW_END,
};

const struct command command_list = {
	.name = "list",
	.usage = "[SOURCE...]",
	.help = "Print a line for each session, the newest first.",
	.options = rows,
	.size = sizeof(struct list_options),
	.most = UINT_MAX,
	.run = list_print,
};
