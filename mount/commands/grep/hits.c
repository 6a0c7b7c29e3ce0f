#include "mount/commands/grep/search.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/session/file_name.h"
#include "mount/cli/choose.h"
#include "mount/cli/spawn.h"
#include "mount/cli/status.h"
#include "mount/cli/terminal.h"
#include "mount/commands/resume.h"
#include "mount/mounts/mounts.h"
#include "mount/operands/target.h"

/*
 * A row's key is its number, its line, and the path of its entry, in which
 * printf makes bytes of \0NNN.
 */
static const char preview[] =
	"line={}\n"
	"key=${line%%\t*} key=${key#*:}\n"
	"path=$(printf '%b/' \"${key#*:}\")\n"
	"\"$SESSFS\" log -n 2 --at \"${key%%:*}\" -- \"${path%/}\"";

/* Step over a row, which is complete; false at the end. */
static bool next_row(struct span *rest, struct grep_row *row)
{
	for (int i = 0; i < ROW_COLUMNS && rest->n > 0; i++) {
		struct span column = span_next(rest, '\0');
		row->column[i] = column.p;
		if (i + 1 == ROW_COLUMNS)
			return true;
	}
	return false;
}

/* Of equal times the first row stays first: rows lie in one text, in order. */
static int by_time(const void *a, const void *b)
{
	const struct grep_row *x = a;
	const struct grep_row *y = b;
	int order = strcmp(y->column[ROW_TIME], x->column[ROW_TIME]);
	return order ? order : x->column[0] < y->column[0] ? -1 : 1;
}

static bool same(const struct grep_row *a, const struct grep_row *b,
		 enum grep_column c)
{
	return strcmp(a->column[c], b->column[c]) == 0;
}

static bool is_fork(const struct grep_row *r)
{
	return r->column[ROW_PARENT][0] != '\0';
}

/* Has one of the rows, which are of one time, the same in no fork? A copy for
   another agent has other ids. */
static bool has_original(const struct grep_row *rows, size_t n,
			 const struct grep_row *fork)
{
	size_t i = 0;
	while (i < n && (is_fork(&rows[i]) || !same(&rows[i], fork, ROW_TEXT)))
		i++;
	return i < n;
}

static void drop_copies(struct grep_hits *h)
{
	struct grep_row *rows = h->list;
	bool *copied = calloc(h->n + 1, sizeof(*copied));
	size_t n = 0;
	for (size_t i = 0, end = 0; i < h->n && copied; i = end) {
		/* Without a time nothing is a copy. */
		for (end = i + 1; end < h->n && rows[i].column[ROW_TIME][0] &&
				  same(&rows[i], &rows[end], ROW_TIME);)
			end++;
		for (size_t j = i; j < end; j++)
			copied[j] = is_fork(&rows[j]) &&
				    has_original(rows + i, end - i, &rows[j]);
	}
	for (size_t i = 0; i < h->n && copied; i++) {
		if (!copied[i])
			rows[n++] = rows[i];
	}
	h->n = copied ? n : h->n;
	free(copied);
}

int grep_hits_sort(struct grep_hits *h, struct span rows)
{
	struct span rest = rows;
	struct grep_row row;
	*h = (struct grep_hits){ 0 };
	while (next_row(&rest, &row))
		h->n++;
	h->list = calloc(h->n + 1, sizeof(*h->list));
	if (!h->list)
		return -ENOMEM;
	rest = rows;
	for (size_t i = 0; i < h->n; i++)
		(void)next_row(&rest, &h->list[i]);
	qsort(h->list, h->n, sizeof(*h->list), by_time);
	drop_copies(h);
	return 0;
}

void grep_hits_free(struct grep_hits *h)
{
	free(h->list);
	*h = (struct grep_hits){ 0 };
}

static bool is_mounted(const struct grep_row *hit)
{
	return hit->column[ROW_MOUNT][0] != '\0';
}

static void add_key(struct buf *out, size_t number, const struct grep_row *row)
{
	const char *const *column = row->column;
	const char *path = column[is_mounted(row) ? ROW_SHOWN : ROW_FILE];
	buf_addf(out, "%zu:%s:", number, column[ROW_LINE]);
	for (; *path; path++) {
		unsigned char c = (unsigned char)*path;
		if (c < 0x20 || c == 0x7F || c == '\\')
			buf_addf(out, "\\0%03o", c);
		else
			buf_addc(out, *path);
	}
	buf_addf(out, "%sby-id/%s", is_mounted(row) ? "" : "/",
		 column[ROW_ENTRY]);
}

static int ask(const struct grep_hits *h, size_t *which)
{
	struct buf rows BUF_SCOPED = { 0 };
	for (size_t i = 0; i < h->n; i++) {
		const char *const *column = h->list[i].column;
		add_key(&rows, i, &h->list[i]);
		buf_addf(&rows, "\t%-16s  %-16s  %-10s  %s\n", column[ROW_WHEN],
			 column[ROW_WHOSE], column[ROW_ROLE], column[ROW_TEXT]);
	}
	const struct choose_how how = {
		.rows = &rows,
		.n = h->n,
		.preview = preview,
	};
	return choose(&how, which, NULL);
}

int grep_hits_choose(const struct grep_hits *h, const struct grep_row **hit)
{
	size_t which = 0;
	int status = h->n > 1 && choose_has_fzf() ? ask(h, &which) : 0;
	*hit = status ? NULL : &h->list[which];
	return status;
}

/* -- going on from one */

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
	if (status || !isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
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
