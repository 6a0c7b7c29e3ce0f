#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/text.h"
#include "core/session/path.h"
#include "core/show/note_runs.h"
#include "core/show/outline.h"
#include "fs/tree/head_target.h"
#include "mount/cli/choose.h"
#include "mount/cli/status.h"
#include "mount/commands/commands.h"
#include "mount/mounts/mounts.h"
#include "mount/operands/target.h"

/* -- the rows: the lines of tree.txt, in the order of its walk */

struct tree_rows {
	struct buf text; /* names of entries, and lines */
	uint32_t *list;	 /* entries */
	size_t n;
	size_t cap;
	size_t head;
};

static int make_rows(struct tree_rows *r, const struct session *s)
{
	struct note_walk w;
	struct note_row row;
	struct buf text BUF_SCOPED = { 0 };
	int err = outline_add(s, false, 0, &text);
	if (err)
		return err;
	struct span lines = buf_span(&text);
	int got = note_walk_begin(&w, s);
	while (!got && (got = note_walk_next(&w, &row)) > 0) {
		if (row.last == session_head(s))
			r->head = r->n;
		got = array_add(&r->list, &r->cap, &r->n, row.last);
		if (got)
			break;
		index_add_name(&s->now.index, &r->text, row.last);
		buf_addc(&r->text, '\t');
		buf_add(&r->text, span_next_line(&lines));
		buf_addc(&r->text, '\n');
	}
	note_walk_end(&w);
	return got;
}

/* -- moving */

static int move(struct target *t, uint32_t at)
{
	struct buf now BUF_SCOPED = { 0 };
	int status = target_move_head(t, at);
	if (status)
		return status;
	target_add_head(t->session, &now);
	const char *is = buf_cstr(&now);
	/* It is the one that the next commands here are about. */
	char *here = t->root ? NULL : realpath(".", NULL);
	char *file = here ? realpath(t->source, NULL) : NULL;
	if (file)
		(void)mounts_remember(here, file);
	free(here);
	free(file);
	if (is)
		puts(is);
	else
		status = status_error("HEAD", -ENOMEM);
	return status;
}

/*
 * The agent may go on elsewhere from an entry: HEAD looks through notes, and
 * from a call some agents go on after its results. Who goes up from HEAD over
 * notes need not be told.
 */
static void tell_other(const struct session *s, const char *name, uint32_t was,
		       bool goes_up)
{
	uint32_t head = session_head(s);
	uint32_t at = index_find_name(&s->now.index, span_of(name));
	if (at == INDEX_NONE || head == INDEX_NONE || head == at ||
	    (goes_up && head != was && path_has(s, at, head)))
		return;
	status_report(name, head == was
				    ? "HEAD stays where it is: from there the "
				      "agent goes on here"
				    : "HEAD shows where the agent goes on from "
				      "there");
}

/* `entry` is as it was typed; NULL: it was chosen. */
static int move_to(struct target *t, uint32_t at, const char *entry)
{
	struct buf id BUF_SCOPED = { 0 };
	uint32_t was = session_head(t->session);
	bool goes_up = entry && span_ends(span_of(entry), SPAN("/parent"));
	if (at != INDEX_NONE)
		index_add_name(&t->session->now.index, &id, at);
	int status = move(t, at);
	const char *name = buf_cstr(&id);
	if (!status && name && at != was)
		tell_other(t->session, name, was, goes_up);
	return status;
}

/* What the user typed is an entry, or a number that no row has. */
static int move_to_other(struct target *t, const char *entry)
{
	uint32_t at;
	int status = target_other(t, entry, &at);
	return status ? status : move_to(t, at, entry);
}

static int ask_rows(struct target *t, const struct tree_rows *tree)
{
	struct buf preview BUF_SCOPED = { 0 };
	char *answer = NULL;
	size_t which = 0;
	/* The command that shows the entry of a row. */
	buf_adds(&preview, "line={}; \"$SESSFS\" log -n 1 -- ");
	text_add_shell_word(&preview, span_of(t->root ? t->root : t->source));
	buf_adds(&preview, "/by-id/\"${line%%\t*}\"");
	const struct choose_how how = {
		.rows = &tree->text,
		.n = tree->n,
		.start = tree->head,
		.preview = buf_cstr(&preview),
		.preview_window = "down:50%:wrap",
		.header = "Enter moves HEAD there",
		.prompt = "number or id, or q: ",
	};
	int status = how.preview ? choose(&how, &which, &answer)
				 : status_error(t->source, -ENOMEM);
	if (!status)
		status = answer ? move_to_other(t, answer)
				: move_to(t, tree->list[which], NULL);
	free(answer);
	return status;
}

static int ask(struct target *t)
{
	struct tree_rows tree = { 0 };
	int err = make_rows(&tree, t->session);
	int status = err ? status_error(t->source, err) : STATUS_OK;
	if (!status && tree.n == 0)
		status = status_fail(t->root ? t->root : t->source,
				     "there are no entries yet");
	if (!status)
		status = ask_rows(t, &tree);
	buf_free(&tree.text);
	free(tree.list);
	return status;
}

static int run(const struct options *o)
{
	const char *entry = o->n_names > 0 ? o->names[0] : NULL;
	const char *path = o->n_names > 1 ? o->names[1] : NULL;
	bool back = entry && strcmp(entry, "-") == 0;
	struct target t;
	int status = target_entry(&t, back ? NULL : entry, path);
	if (!status)
		status = target_tell(&t, false);
	char *head = !status && back ? mounts_head_before(t.source) : NULL;
	if (head)
		status = move_to_other(&t, head);
	else if (!status && back)
		status = status_fail(t.root ? t.root : t.source,
				     "sessfs has not moved its HEAD");
	else if (!status)
		status = entry && !t.is_session ? move_to(&t, t.at, entry)
						: ask(&t);
	free(head);
	target_free(&t);
	return status;
}

const struct command command_switch = {
	.name = "switch",
	.usage = "[ENTRY | -] [PATH]",
	.help = "Move HEAD to an entry, chosen or named; -: to where it "
		"was.\n\n"
		"ENTRY " ENTRY_HELP ".\nPATH is the session, or in it.",
	.most = 2,
	.run = run,
};
