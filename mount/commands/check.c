#include "mount/commands/commands.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "core/dialects/registry.h"
#include "core/file/folder_index.h"
#include "core/session/dialect.h"
#include "core/show/check.h"
#include "core/show/reach.h"
#include "mount/commands/piped.h"
#include "mount/commands/progress.h"
#include "mount/commands/status.h"

/* Report why a file can't be read. */
static int fail_to_read(const char *name, const char *reason)
{
	status_fail(name, reason);
	return STATUS_USAGE;
}

/* Print lines and flush: the next file may take long. */
static int print_lines(const char *name, struct buf *lines, int status)
{
	const char *text = buf_cstr(lines);
	if (!text)
		return fail_to_read(name, strerror(ENOMEM));
	if (fputs(text, stdout) < 0 || fflush(stdout) < 0)
		return fail_to_read("standard output", strerror(errno));
	return status;
}

/* Append a line for each recorded request that had another context. */
static int add_requests(const struct session *s, struct request_check *q)
{
	const struct dialect_sending *d = s->dialect->sending;
	return d->check_requests ? d->check_requests(s, q) : 0;
}

static void add_request_count(const struct request_check *q, struct buf *lines)
{
	if (q->compared + q->unknown == 0) {
		buf_addf(lines, "%s: the agent has recorded no requests here\n",
			 q->file);
		return;
	}
	buf_addf(lines, "%s: %zu of %zu recorded requests are the contexts",
		 q->file, q->compared - q->different, q->compared);
	if (q->unknown > 0)
		buf_addf(lines, "; of %zu more the beginning is missing",
			 q->unknown);
	buf_addc(lines, '\n');
}

/*
 * Append the faults of a session, and how far the agent comes. Without faults
 * that is one line, or none if there are `several` files.
 */
static int add_lines(const struct options *o, const struct session *s,
		     const char *name, struct buf *lines, int *status)
{
	bool several = o->n_names > 1;
	struct check c;
	struct reach r;
	struct buf shown = { 0 };
	text_add_one_line(&shown, span_of(name));
	const char *file = buf_cstr(&shown);
	int err = file ? reach_load(&r, s) : -ENOMEM;
	check_session(s, &c);
	check_add_lines(&c, span_of(name), lines);
	if (!err && (lines->len > 0 || reach_is_short(&r, s)))
		*status = STATUS_FAILED;
	struct request_check q = { .file = file, .out = lines };
	if (!err && o->against_requests)
		err = add_requests(s, &q);
	if (q.different > 0)
		*status = STATUS_FAILED;
	if (!err && (*status == STATUS_FAILED || !several))
		reach_add_lines(&r, s, file, lines);
	if (!err && o->against_requests &&
	    (*status == STATUS_FAILED || !several))
		add_request_count(&q, lines);
	if (file)
		reach_free(&r);
	buf_free(&shown);
	return err;
}

static int check_opened(const struct options *o, const char *name,
			struct session *s)
{
	struct buf lines = { 0 };
	int status = STATUS_OK;
	int err = session_enter(s);
	if (err)
		return fail_to_read(name, strerror(-err));
	/* The file can be deleted after session_open(). */
	if (s->log.exists)
		err = add_lines(o, s, name, &lines, &status);
	else
		err = -ENOENT;
	session_leave(s);
	status = err ? fail_to_read(name, strerror(-err))
		     : print_lines(name, &lines, status);
	buf_free(&lines);
	return status;
}

/* An unknown format is a fault of the file, not a failure to read it. */
static int print_unknown(const char *name, const char *reason)
{
	struct buf line = { 0 };
	text_add_one_line(&line, span_of(name));
	buf_addf(&line, ": %s\n", reason);
	int status = print_lines(name, &line, STATUS_FAILED);
	buf_free(&line);
	return status;
}

/* Check the file at a path. */
static int check_path(const struct options *o, struct folder_index *names,
		      const char *name, const char *path)
{
	struct session *s;
	struct progress progress = { 0 };
	const struct session_opening how = { .dialects = &dialect_registry,
					     .forced = o->dialect,
					     .read_only = true,
					     .names = names,
					     .progress = progress_at,
					     .progress_data = &progress };
	const char *reason = NULL;
	progress_start(&progress, "reading", name, PROGRESS_DELAY);
	int err = session_open(&s, path, &how, &reason);
	progress_end(&progress);
	if (err == -EPROTO)
		return print_unknown(name, reason);
	if (err == -EISDIR)
		return fail_to_read(name,
				    "is a directory; name files, as "
				    "find DIR -name '*.jsonl' prints them");
	if (err)
		return fail_to_read(name, reason ? reason : strerror(-err));
	int status = check_opened(o, name, s);
	session_free(s);
	return status;
}

static int check_file(const struct options *o, struct folder_index *names,
		      const char *name)
{
	struct piped file;
	int err = piped_begin(&file, name);
	int status = err ? fail_to_read(name, strerror(-err))
			 : check_path(o, names, name, file.path);
	piped_end(&file);
	return status;
}

int check_files(const struct options *o)
{
	struct folder_index *names = folder_index_new();
	int worst = STATUS_OK;
	for (size_t i = 0; i < o->n_names; i++) {
		int status = check_file(o, names, o->names[i]);
		if (status > worst)
			worst = status;
	}
	folder_index_free(names);
	return worst;
}
