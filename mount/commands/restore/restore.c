/*
 * The command restore: the files of a session as they were at an entry.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/pathname.h"
#include "core/file/newfile.h"
#include "core/show/touch_path.h"
#include "mount/cli/status.h"
#include "mount/commands/commands.h"
#include "mount/commands/restore/restore.h"
#include "mount/operands/source.h"
#include "mount/operands/target.h"

struct restore_options {
	int dry;
	int patch;
	int force;
	int undo;
	const char *to;
};

/* -- the folder */

/* Where DIR would be made. */
static int find_new_root(const char *to, char **root)
{
	struct buf dir BUF_SCOPED = { 0 };
	char *here = realpath(".", NULL);
	if (!here)
		return -errno;
	pathname_add_normal(&dir, span_of(here), span_of(to));
	free(here);
	const char *path = buf_cstr(&dir);
	*root = path ? source_resolve(path) : NULL;
	return *root ? 0 : -ENOMEM;
}

/* Find DIR, or the session's working directory. *root is the caller's to free.
 */
static int find_root(const struct session *s, const char *to, bool dry,
		     char **root)
{
	struct buf dir BUF_SCOPED = { 0 };
	int status = STATUS_OK;
	if (to) {
		buf_adds(&dir, to);
	} else {
		struct buf text BUF_SCOPED = BUF_INTO(&dir);
		json_decode(&text, session_header(s, "cwd"));
		touch_path_add_dir(&dir, buf_span(&text));
	}
	const char *path = buf_cstr(&dir);
	int err = path ? 0 : -ENOMEM;
	if (!err && to && !dry)
		err = newfile_make_folders(buf_span(&dir), 0777);
	if (!err && *path && !(*root = realpath(path, NULL)))
		err = -errno;
	/* Nothing is in a folder that would be made. */
	if (to && dry && err == -ENOENT)
		err = find_new_root(to, root);
	if (err == -ENOENT && !to)
		status = status_fail(path, "No such file or directory (say "
					   "--to DIR for another one)");
	else if (err)
		status = status_error(path ? path : "restore", err);
	else if (!*root)
		status = status_fail("restore", "the session has no working "
						"directory; say --to DIR");
	return status;
}

static int restore(const struct options *o, const struct target *t,
		   size_t first)
{
	const struct restore_options *own = o->own;
	bool dry = own->dry || own->patch;
	char *root = NULL;
	int status = find_root(t->session, own->to, dry, &root);
	struct plan p = { .s = t->session,
			  .entry = t->at,
			  .root = root,
			  .force = own->force > 0,
			  .dry = dry,
			  .patch = own->patch > 0,
			  .paths = o->names + first,
			  .n_paths =
				  o->n_names > first ? o->n_names - first : 0 };
	p.here = own->to ? NULL : realpath(".", NULL);
	if (!status)
		status = plan_make(&p);
	if (!status)
		status = replaced_do(&p);
	plan_free(&p);
	free(root);
	return status;
}

static int undo(const struct options *o)
{
	const struct restore_options *own = o->own;
	char *root = realpath(own->to ? own->to : ".", NULL);
	if (o->n_names > 0) {
		free(root);
		return status_trouble("restore", "--undo takes no ENTRY");
	}
	struct plan u = { .root = root,
			  .force = own->force > 0,
			  .dry = own->dry || own->patch,
			  .patch = own->patch > 0,
			  .undoes = true };
	int status = root ? replaced_undo(&u)
			  : status_error(own->to ? own->to : ".", -errno);
	free(root);
	return status;
}

static int run(const struct options *o)
{
	const struct restore_options *own = o->own;
	struct target t;
	if (own->to && !*own->to)
		return status_trouble("restore", "a folder's name can't be "
						 "empty");
	if (own->undo)
		return undo(o);
	/* A folder of sessions is rather one of the project. */
	bool has_session = o->n_names > 1 && target_names_session(o->names[1]);
	int status =
		target_entry(&t, o->source, has_session ? o->names[1] : NULL);
	if (!status)
		status = target_tell(&t, false);
	if (!status)
		status = restore(o, &t, has_session ? 2 : 1);
	target_free(&t);
	return status;
}

#define AT(member) offsetof(struct restore_options, member)

static const struct option_row rows[] = {
	{ 'n', "dry-run", OPTION_FLAG, AT(dry), NULL,
	  "only print what would be written and removed" },
	{ 'p', "patch", OPTION_FLAG, AT(patch), NULL, "the same, as a diff" },
	{ 0, "to", OPTION_TEXT, AT(to), "DIR",
	  "files of this folder, not of the session's" },
	{ 0, "force", OPTION_FLAG, AT(force), NULL,
	  "also files that somebody else has changed" },
	{ 0, "undo", OPTION_FLAG, AT(undo), NULL,
	  "take back what was restored last in this folder" },
	{ 0 },
};

const struct command command_restore = {
	.name = "restore",
	.usage = "[ENTRY [PATH] [NAME...]]",
	.help = "Make files what they were at an entry.\n\n"
		"ENTRY " ENTRY_HELP
		";\nby default HEAD. PATH is the session, or in it. NAMEs are "
		"those of files, or\nfolders of them.",
	.options = rows,
	.size = sizeof(struct restore_options),
	.most = UINT_MAX,
	.run = run,
};
