#include "mount/commands/commands.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/text.h"
#include "mount/cli/choose.h"
#include "mount/cli/path_type.h"
#include "mount/cli/status.h"
#include "mount/mounts/mounts.h"
#include "mount/operands/selection.h"
#include "mount/operands/source.h"

struct open_options {
	struct texts mount; /* of -o */
	struct select_options select;
	int all;
	int close;
	int mounts;
};

struct opening {
	const struct open_options *own;
	struct select_by by;
	char *dir;  /* the working directory that it is for */
	char *file; /* the session */
};

static int no_memory(void)
{
	return status_fail("open", "out of memory");
}

static int take_file(struct opening *p, const char *path)
{
	p->file = strdup(path);
	return p->file ? STATUS_OK : no_memory();
}

/* -- the newest session of a directory */

static int report_none(const struct opening *p)
{
	struct agent_folders folders = { 0 };
	struct buf reason = { 0 };
	int err = selection_find_folders(&p->by, p->dir, AGENTS_MISSING,
					 &folders);
	buf_adds(&reason, "no session of ");
	text_add_one_line(&reason, span_of(p->dir));
	buf_adds(&reason, " (sessfs list prints those of others) in ");
	for (size_t i = 0; i < folders.n; i++) {
		buf_adds(&reason, i > 0 ? ", " : "");
		text_add_one_line(&reason, span_of(folders.list[i].path));
	}
	if (err)
		buf_fail(&reason);
	agent_folders_free(&folders);
	return status_fail_made("open", &reason);
}

/*
 * What a call without operands acts on. Of a damaged file, which can't be
 * described, the mount's error tells.
 */
static int say_which(const struct session_row *row, const char *where)
{
	struct session_row alone = *row;
	struct buf line BUF_SCOPED = { 0 };
	alone.summary.depth = 0;
	buf_addf(&line, "sessfs: the newest session %s: ", where);
	selection_add_text(&alone, &line);
	buf_addc(&line, '\n');
	const char *text = buf_cstr(&line);
	if (text)
		fputs(text, stderr);
	return text ? STATUS_OK : no_memory();
}

/* Where none is of the directory itself: of the project that it is in. */
static int find_around(struct opening *p)
{
	struct select_by by = p->by;
	struct selection s = { 0 };
	by.dir = p->dir;
	by.is_quiet = true;
	int status = selection_make(&s, &by, NULL, 0);
	const struct session_row *row = selection_last_used(&s);
	if (!status)
		status = !row ? report_none(p)
			 : selection_is_kept(&s, row)
				 ? say_which(row, "around here is deleted, and "
						  "kept")
				 : say_which(row, "around here");
	if (!status && row)
		status = take_file(p, row->path);
	selection_free(&s);
	return status;
}

static int find_newest(struct opening *p, bool says)
{
	struct select_by by = p->by;
	struct selection s = { 0 };
	by.dir = p->dir;
	by.dir_alone = true;
	by.is_quiet = by.is_newest = true;
	int status = selection_make(&s, &by, NULL, 0);
	const struct session_row *row = status ? NULL : selection_newest(&s);
	if (row) {
		status = says && row->is_listed ? say_which(row, "here")
						: STATUS_OK;
		if (!status)
			status = take_file(p, row->path);
	}
	selection_free(&s);
	return status || row ? status : find_around(p);
}

/* -- a session that the user names */

/* The session that a path leads to or is in, if it is one of a session. */
static int find_by_path(struct opening *p, const char *name, bool *is)
{
	char *path;
	int err = source_path(name, &path);
	*is = !err && path_type_is(path, S_IFREG);
	int status = *is ? take_file(p, path) : STATUS_OK;
	/* A mount of another user, or of a daemon that has died. */
	if (err == -EACCES || err == -ENOTCONN)
		status = status_error(name, err);
	free(path);
	return status;
}

/* A session file, or the start or end of an id. */
static int find_named(struct opening *p, const char *name)
{
	bool is = false;
	if (access(name, F_OK) == 0 && !path_type_is(name, S_IFDIR))
		return take_file(p, name);
	/* As it is printed of an entry. */
	if (strchr(name, '/')) {
		int status = find_by_path(p, name, &is);
		return status || is
			       ? status
			       : status_fail(name,
					     "no such directory or session");
	}
	int err = selection_find_id(&p->by, span_of(name), &p->file);
	if (err == -ENOENT)
		return status_fail(name, "no such directory, session or part "
					 "of an id, of 4 characters or more");
	return err ? status_error(name, err) : STATUS_OK;
}

/* -- choosing */

static int choose_from(struct opening *p, const struct selection *s)
{
	struct buf rows BUF_SCOPED = { 0 };
	size_t which = 0;
	char *answer = NULL;
	/* The path as shown, and the text. */
	for (size_t i = 0; i < s->rows.n; i++) {
		text_add_one_line(&rows, span_of(s->rows.list[i]->shown));
		buf_addc(&rows, '\t');
		selection_add_text(s->rows.list[i], &rows);
		buf_addc(&rows, '\n');
	}
	const struct choose_how how = {
		.rows = &rows,
		.n = s->rows.n,
		.preview = "line={}; \"$SESSFS\" log --tree \"${line%%\t*}\"",
		.preview_window = "down:50%:follow",
		.pages = true,
		.prompt = "number or id, or q: ",
	};
	int status = choose(&how, &which, &answer);
	if (!status)
		status = answer ? find_named(p, answer)
				: take_file(p, s->rows.list[which]->path);
	free(answer);
	return status;
}

/* Of those that are selected, the one that the user chooses, or the newest. */
static int find_selected(struct opening *p, bool asks)
{
	struct selection s = { 0 };
	int status = selection_make(&s, &p->by, NULL, 0);
	if (!status && s.rows.n == 0)
		status = select_report_none(&p->own->select, "open");
	if (!status)
		status = asks ? choose_from(p, &s)
			      : take_file(p, selection_last_used(&s)->path);
	selection_free(&s);
	return status;
}

/* -- opening */

static int mount_session(const struct opening *p)
{
	const struct texts *list = &p->own->mount;
	struct buf options BUF_SCOPED = { 0 };
	char *mnt = NULL;
	for (size_t i = 0; i < list->n; i++)
		buf_addf(&options, "%s%s", i > 0 ? "," : "", list->list[i]);
	const char *text = buf_cstr(&options);
	int status = text ? mounts_open(p->file, text, &mnt) : no_memory();
	if (!status && !p->own->all)
		status = mounts_remember(p->dir, mnt);
	if (!status)
		puts(mnt);
	free(mnt);
	return status;
}

static int find_session(struct opening *p, const char *name)
{
	bool is_mounted = false;
	int status = STATUS_OK;
	if (p->own->all)
		return take_file(p, MOUNTS_ALL);
	if (name && !path_type_is(name, S_IFDIR))
		return find_named(p, name);
	if (name)
		status = find_by_path(p, name, &is_mounted);
	if (status || is_mounted)
		return status;
	bool asks = isatty(STDIN_FILENO) && isatty(STDERR_FILENO);
	/* A script's own choice is of all sessions, too. */
	return !name && (asks || select_is_given(&p->own->select))
		       ? find_selected(p, asks)
		       : find_newest(p, !name);
}

static int open_session(const struct options *o)
{
	const struct open_options *own = o->own;
	struct opening p = { .own = own };
	bool is_dir = o->source && path_type_is(o->source, S_IFDIR);
	bool is_other = own->close || own->mounts;
	if (!!own->close + !!own->mounts + !!own->all > 1 ||
	    ((is_other || own->all) &&
	     (o->source || select_is_given(&own->select))))
		return status_trouble("open",
				      "-a, --close and --mounts stand alone "
				      "(sessfs open -h for help)");
	if (own->close)
		return mounts_close();
	if (own->mounts)
		return mounts_print();
	int status = select_parse(&p.by, &own->select, "open");
	if (!status && !(p.dir = source_directory(is_dir ? o->source : ".")))
		status = STATUS_FAILED;
	if (!status)
		status = find_session(&p, o->source);
	if (!status && p.file)
		status = mount_session(&p);
	select_by_free(&p.by);
	free(p.dir);
	free(p.file);
	return status;
}

#define AT(member) offsetof(struct open_options, member)

static const struct option_row rows[] = {
	{ 'o', NULL, OPTION_TEXTS, AT(mount), "OPTIONS",
	  "of the mount, as for sessfs -o; with other ones a session\n"
	  "has another mount" },
	{ 'a', "all", OPTION_FLAG, AT(all), NULL,
	  "the sessions of all agents in one mount" },
	SELECT_ROWS(AT(select)),
	{ 0, "mounts", OPTION_FLAG, AT(mounts), NULL,
	  "list the mounts: path, session, options" },
	{ 0, "close", OPTION_FLAG, AT(close), NULL, "unmount all of them" },
	{ 0 },
};

const struct command command_open = {
	.name = "open",
	.usage = "[SESSION | ID | DIR]",
	.help = "Mount a session, and print the path of the mount.",
	.options = rows,
	.size = sizeof(struct open_options),
	.most = 1,
	.run = open_session,
};
