#include "mount/commands/commands.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "core/base/text.h"
#include "core/file/folder_index.h"
#include "core/show/check.h"
#include "mount/cli/status.h"
#include "mount/operands/selection.h"
#include "mount/operands/session_file.h"
#include "mount/operands/target.h"

struct checking {
	const char *name;
	bool alone;	  /* no other is checked */
	struct buf shown; /* the name, on one line */
	struct buf lines; /* to be printed */
	int status;
};

/*
 * Append the faults of a session, and how far the agent comes. Without faults
 * that is one line, or none if there are several files.
 */
static int add_lines(struct checking *k, const struct session *s)
{
	struct reach r;
	int err = reach_load(&r, s);
	check_add_lines(s, span_of(k->name), &k->lines);
	if (!err && (k->lines.len > 0 || reach_is_short(&r, s)))
		k->status = STATUS_FAILED;
	if (!err && (k->status == STATUS_FAILED || k->alone))
		reach_add_lines(&r, s, k->shown.data, &k->lines);
	reach_free(&r);
	return err;
}

static int check_opened(struct checking *k, struct session_file *f)
{
	int err = session_file_open(f);
	if (err == -EPROTO) {
		/* An unknown format is a fault of the file. */
		buf_addf(&k->lines, "%s: %s\n", k->shown.data, f->reason);
		k->status = STATUS_FAILED;
		return 0;
	}
	return err ? err : add_lines(k, f->session);
}

static int check_file(const struct options *o, struct folder_index *names,
		      const char *name, bool alone)
{
	struct session_file file = { .name = name,
				     .how = { .forced = o->dialect,
					      .read_only = true,
					      .names = names } };
	int err = session_file_find(&file);
	/* What is an id has the path of its file. */
	bool is_id = !err && access(name, F_OK) < 0;
	struct checking k = { .name = is_id ? file.path : name,
			      .alone = alone };
	text_add_one_line(&k.shown, span_of(k.name));
	if (!err)
		err = buf_cstr(&k.shown) ? check_opened(&k, &file) : -ENOMEM;
	const char *lines = buf_cstr(&k.lines);
	if (!err && !lines)
		err = -ENOMEM;
	if (err) {
		/* 1 is an answer here. */
		(void)session_file_fail(&file, err);
		k.status = STATUS_USAGE;
	} else {
		/* Flushed, because the next file may take long. */
		(void)fputs(lines, stdout);
		if (status_flush() != STATUS_OK)
			k.status = STATUS_USAGE;
	}
	buf_free(&k.lines);
	buf_free(&k.shown);
	session_file_close(&file);
	return k.status;
}

static int check_all(const struct options *o, char *const *names, size_t n)
{
	struct folder_index *index = folder_index_new();
	int worst = STATUS_OK;
	for (size_t i = 0; i < n; i++) {
		int status = check_file(o, index, names[i], n == 1);
		if (status > worst)
			worst = status;
	}
	folder_index_free(index);
	return worst;
}

/* Those that the options select, below the operands or of the agents. */
static int check_selected(const struct options *o)
{
	const struct select_options *own = o->own;
	struct select_by by = { .forced = o->dialect };
	struct selection s = { 0 };
	struct folder_index *index = folder_index_new();
	int worst = STATUS_OK;
	int status = select_parse(&by, own, "check");
	if (!status)
		status = selection_make(&s, &by, o->names, o->n_names);
	/* 1 is an answer here. */
	if (status || s.status ||
	    (s.rows.n == 0 && select_report_none(own, "check")))
		worst = STATUS_USAGE;
	for (size_t i = 0; i < s.rows.n && !status; i++) {
		int of = check_file(o, index, s.rows.list[i]->path,
				    s.rows.n == 1);
		worst = of > worst ? of : worst;
	}
	folder_index_free(index);
	selection_free(&s);
	select_by_free(&by);
	return worst;
}

static int check_files(const struct options *o)
{
	const struct select_options *own = o->own;
	struct target t;
	if (select_is_given(own))
		return check_selected(o);
	if (o->n_names > 0)
		return check_all(o, o->names, o->n_names);
	/* The session that the user is in, or that was opened here. */
	int status = target_here(&t);
	/* 1 is an answer here. */
	status = status ? STATUS_USAGE : check_all(o, &t.source, 1);
	target_free(&t);
	return status;
}

static const struct option_row rows[] = {
	SELECT_ROWS(0),
	OPTION_ROW_SESSION,
	{ 0 },
};

const struct command command_check = {
	.name = "check",
	.usage = "[FILE...]",
	.help = "Print what is wrong with session files.\n\n"
		"Without a FILE, with the session here. With --here and the "
		"like, with those\n"
		"that they select: of all agents, or below the FILEs.",
	.options = rows,
	.size = sizeof(struct select_options),
	.most = UINT_MAX,
	.run = check_files,
};
