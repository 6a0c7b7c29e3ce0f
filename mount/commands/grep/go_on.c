#include "mount/commands/grep/hits.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/session/file_name.h"
#include "mount/cli/spawn.h"
#include "mount/cli/status.h"
#include "mount/cli/terminal.h"
#include "mount/commands/resume.h"
#include "mount/mounts/mounts.h"
#include "mount/operands/target.h"

static bool is_mounted(const struct grep_row *hit)
{
	return hit->column[ROW_MOUNT][0] != '\0';
}

/* Have the user's pager show a file from a line on. Returns an exit status. */
static int show(const char *path, const char *line)
{
	struct buf command BUF_SCOPED = { 0 };
	const char *pager = getenv("PAGER");
	if (!pager)
		pager = "less";
	buf_adds(&command, *pager ? pager : "cat");
	/* It is a shell's command. These take +LINE. */
	struct span name =
		span_last_part((struct span){ pager, strcspn(pager, " ") });
	if (span_eq(name, SPAN("less")) || span_eq(name, SPAN("more")))
		buf_addf(&command, " +%s", line);
	buf_adds(&command, " \"$0\"");
	const char *text = buf_cstr(&command);
	const char *argv[] = { "sh", "-c", text, path, NULL };
	int got = text ? spawn_wait(argv, NULL) : -ENOMEM;
	return got < 0 ? status_error("pager", got) : STATUS_OK;
}

/* Append the folder of the hit's entry. Returns an exit status. */
static int add_folder(const struct grep_row *hit, struct buf *out)
{
	const char *entry = hit->column[ROW_ENTRY];
	char *mnt = NULL;
	if (is_mounted(hit)) {
		buf_addf(out, "%sby-id/%s", hit->column[ROW_SHOWN], entry);
		return STATUS_OK;
	}
	int status = mounts_open(hit->column[ROW_FILE], "", &mnt);
	if (status)
		return status;
	buf_addf(out, "%s/by-id/%s", mnt, entry);
	char *here = realpath(".", NULL);
	if (here)
		status = mounts_remember(here, mnt);
	free(here);
	free(mnt);
	return status;
}

int grep_open_hit(const struct grep_row *hit)
{
	struct buf path BUF_SCOPED = { 0 };
	int status = add_folder(hit, &path);
	const char *text = buf_cstr(&path);
	if (status || !text)
		return status ? status : status_error("grep", -ENOMEM);
	puts(text);
	status = status_flush();
	if (status || !terminal_is(STDIN_FILENO) || !terminal_is(STDOUT_FILENO))
		return status;
	buf_adds(&path, "/" FILE_NAME_CONTENT);
	text = buf_cstr(&path);
	return text ? show(text, hit->column[ROW_LINE])
		    : status_error("grep", -ENOMEM);
}

/* The mount that the user has named, unless nothing can be written in it. */
static int find_mounted(struct target *t, const struct grep_row *hit)
{
	const char *shown = hit->column[ROW_SHOWN];
	int status = target_find(t, *shown ? shown : ".");
	if (!status && t->root && t->file.how.read_only) {
		target_free(t);
		status = target_find(t, hit->column[ROW_FILE]);
	}
	return status;
}

int grep_resume_hit(const struct grep_row *hit)
{
	struct target t;
	int status = is_mounted(hit) ? find_mounted(&t, hit)
				     : target_find(&t, hit->column[ROW_FILE]);
	if (!status) {
		free(t.entry);
		t.entry = strdup(hit->column[ROW_ENTRY]);
		status = t.entry ? resume_print(&t)
				 : status_error("grep", -ENOMEM);
	}
	target_free(&t);
	return status;
}
