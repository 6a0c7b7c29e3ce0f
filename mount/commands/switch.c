#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/array.h"
#include "core/show/note_runs.h"
#include "core/show/outline.h"
#include "mount/cli/choose.h"
#include "mount/cli/status.h"
#include "mount/commands/commands.h"
#include "mount/commands/move_head.h"
#include "mount/mounts/mount_base.h"
#include "mount/mounts/mounted.h"
#include "mount/operands/target.h"

/*
 * Of the line {}, whose key is the name of an entry's folder; without escape
 * sequences and control characters.
 */
static const char preview[] =
	"line={}\n"
	"cd -- \"by-id/${line%%\t*}\" && { head -c 100000 content; echo; echo; "
	"cat meta; } | LC_ALL=C tr -d '\\000' | LC_ALL=C awk '{ "
	"gsub(/(\\033\\[|\\302\\233)[0-?]*[ -\\/]*[@-~]/, \"\"); "
	"gsub(/(\\033\\]|\\302\\235)[^\\007\\033]*(\\007|\\033\\\\)?/, \"\"); "
	"gsub(/\\302[\\200-\\237]/, \"\") } 1' | "
	"LC_ALL=C tr -d '\\000-\\010\\013-\\037\\177'";

/* -- the rows: the lines of tree.txt, in the order of its walk */

struct tree_rows {
	struct buf text;
	struct buf names; /* each with its NUL */
	struct choice *list;
	size_t n;
	size_t cap;
	size_t head;
};

/* The texts grow while rows are made, so the rows get them at the end. */
static int add_names(struct tree_rows *r, const struct session *s)
{
	struct note_walk w;
	struct note_row row;
	int got = note_walk_begin(&w, s);
	while (!got && (got = note_walk_next(&w, &row)) > 0) {
		got = array_reserve(&r->list, &r->cap, r->n, 1);
		if (row.last == session_head(s))
			r->head = r->n;
		r->n++;
		index_add_name(&s->now.index, &r->names, row.last);
		buf_addc(&r->names, '\0');
	}
	note_walk_end(&w);
	return got;
}

static int make_rows(struct tree_rows *r, const struct session *s)
{
	int err = add_names(r, s);
	if (!err)
		err = outline_add(s, false, 0, &r->text);
	char *line = err ? NULL : (char *)buf_cstr(&r->text);
	const char *name = buf_cstr(&r->names);
	if (!err && (!line || !name))
		err = -ENOMEM;
	for (size_t i = 0; i < r->n && !err; i++) {
		char *end = strchr(line, '\n');
		r->list[i] = (struct choice){ .key = name, .text = line };
		name += strlen(name) + 1;
		line = end ? end + 1 : line + strlen(line);
		if (end)
			*end = '\0';
	}
	return err;
}

static void free_rows(struct tree_rows *r)
{
	buf_free(&r->text);
	buf_free(&r->names);
	free(r->list);
}

/* -- where HEAD was */

/* Append the path of the link that remembers it for a session. */
static int add_memory(struct buf *out, const char *source)
{
	struct buf base = { 0 };
	char *path = realpath(source, NULL);
	int err = path ? mount_base_make(&base) : -errno;
	if (!err) {
		mount_base_add_place(out, base.data, path);
		err = buf_error(out);
	}
	free(path);
	buf_free(&base);
	return err;
}

/* Without a place to remember it in, HEAD moves all the same. */
static void remember(const char *source, const char *head)
{
	struct buf at = { 0 };
	struct buf link = { 0 };
	int err = add_memory(&at, source);
	const char *folder = buf_cstr(&at);
	if (!err && folder && (mkdir(folder, 0700) == 0 || errno == EEXIST)) {
		buf_addf(&link, "%s/head", folder);
		const char *path = buf_cstr(&link);
		if (path && (unlink(path) == 0 || errno == ENOENT))
			(void)symlink(head, path);
	}
	buf_free(&at);
	buf_free(&link);
}

static char *read_link(const char *folder, const char *name)
{
	struct buf path = { 0 };
	char *to = malloc(PATH_MAX);
	buf_addf(&path, "%s/%s", folder, name);
	const char *at = buf_cstr(&path);
	ssize_t n = to && at ? readlink(at, to, PATH_MAX - 1) : -1;
	buf_free(&path);
	if (n < 0) {
		free(to);
		return NULL;
	}
	to[n] = '\0';
	return to;
}

/* -- moving */

static int move(const struct target *t, const char *target)
{
	char *before = read_link(t->root, "HEAD");
	int status = move_head(t->root, target);
	char *now = status ? NULL : read_link(t->root, "HEAD");
	if (before && now && strcmp(before, now) != 0)
		remember(t->source, before);
	if (now)
		puts(now);
	free(before);
	free(now);
	return status;
}

static int go_back(const struct target *t)
{
	struct buf at = { 0 };
	int err = add_memory(&at, t->source);
	const char *folder = buf_cstr(&at);
	char *head = !err && folder ? read_link(folder, "head") : NULL;
	int status = head ? move(t, head)
			  : status_fail(t->root,
					"sessfs switch has not moved its HEAD");
	free(head);
	buf_free(&at);
	return status;
}

static int move_to(const struct target *t, uint32_t at)
{
	struct buf target = { 0 };
	buf_adds(&target, at == INDEX_NONE ? "tree" : "by-id/");
	if (at != INDEX_NONE)
		index_add_name(&t->session->now.index, &target, at);
	const char *to = buf_cstr(&target);
	int status = to ? move(t, to) : status_error("HEAD", -ENOMEM);
	buf_free(&target);
	return status;
}

/* What the user typed is an entry, or a number that no row has. */
static int move_to_answer(struct target *t, const char *answer)
{
	uint32_t at;
	int status = target_other(t, answer, &at);
	return status ? status : move_to(t, at);
}

static int move_to_row(const struct target *t, const struct choice *row)
{
	struct buf target = { 0 };
	buf_addf(&target, "by-id/%s", row->key);
	const char *to = buf_cstr(&target);
	int status = to ? move(t, to) : status_error(row->key, -ENOMEM);
	buf_free(&target);
	return status;
}

/* The preview and typed paths are from the root of the session. */
static int ask(struct target *t)
{
	struct tree_rows tree = { 0 };
	char *answer = NULL;
	size_t which = 0;
	int err = make_rows(&tree, t->session);
	if (!err && chdir(t->root) < 0)
		err = -errno;
	int status = err ? status_error(t->root, err) : STATUS_OK;
	if (!status && tree.n == 0)
		status = status_fail(t->root, "there are no entries yet");
	if (!status) {
		const struct choose_how how = {
			.rows = tree.list,
			.n = tree.n,
			.start = tree.head,
			.preview = preview,
			.preview_window = "down:50%:wrap",
			.prompt = "number or id: ",
		};
		status = choose(&how, &which, &answer);
	}
	if (!status)
		status = answer ? move_to_answer(t, answer)
				: move_to_row(t, &tree.list[which]);
	free(answer);
	free_rows(&tree);
	return status;
}

/* The session: what is typed before its PATH is an entry, or "-". */
static int find(struct target *t, const char *entry, const char *path)
{
	int status =
		entry ? target_entry(t, entry, path) : target_mounted(t, path);
	if (!status && !t->root)
		status = status_fail(path ? path : entry,
				     "not in a mounted session");
	return status ? status : target_tell(t);
}

static int run(const struct options *o)
{
	const char *first = o->n_names > 0 ? o->names[0] : NULL;
	const char *path = o->n_names > 1 ? o->names[1] : NULL;
	bool back = first && strcmp(first, "-") == 0;
	struct target t;
	if (first && !path && mounted_is_root(first)) {
		path = first;
		first = NULL;
	}
	int status = find(&t, back ? NULL : first, path);
	if (!status && back)
		status = go_back(&t);
	else if (!status && first)
		status = move_to(&t, t.at);
	else if (!status)
		status = target_open(&t);
	if (!status && !first)
		status = ask(&t);
	target_free(&t);
	return status;
}

static const struct option_row rows[] = { OPTION_ROW_END };

const struct command command_switch = {
	.name = "switch",
	.usage = "[ENTRY | -] [PATH]",
	.help = "Move HEAD to an entry, chosen or named; -: to where it was.",
	.options = rows,
	.most = 2,
	.run = run,
};
