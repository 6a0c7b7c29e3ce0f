#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mount/cli/status.h"
#include "mount/commands/commands.h"
#include "mount/mounts/mount_base.h"
#include "mount/mounts/mounted.h"
#include "mount/operands/target.h"

struct root_options {
	const char *entry;
	const char *key;
	const char *escaped;
	int folder;
};

static int print_root(const char *path)
{
	char *root;
	int status = target_root(&root, path);
	if (!status)
		puts(root);
	free(root);
	return status;
}

static int print_entry(const char *entry, const char *path)
{
	struct target t;
	int status = target_entry(&t, entry, path);
	if (!status && !t.root) {
		status = status_fail(entry, "not in a mounted session");
	} else if (!status) {
		char *folder = NULL;
		if (asprintf(&folder, "%s/%s%s", t.root,
			     *t.entry ? "by-id/" : "tree", t.entry) < 0)
			status = status_error(entry, -ENOMEM);
		else
			puts(folder);
		free(folder);
	}
	target_free(&t);
	return status;
}

static int print_value(const char *key, const char *path)
{
	char *root;
	struct buf value = { 0 };
	int status = target_root(&root, path);
	int err = status ? 0 : mounted_info(root, key, &value);
	const char *text = buf_cstr(&value);
	if (err == -ENODATA) {
		buf_reset(&value);
		buf_addf(&value, "its info has no %s", key);
		text = buf_cstr(&value);
		status = status_fail(root, text ? text : strerror(ENOMEM));
	} else if (err || !text) {
		status = status_error(root, err ? err : -ENOMEM);
	} else if (!status) {
		puts(text);
	}
	buf_free(&value);
	free(root);
	return status;
}

static int print_unescaped(const char *path)
{
	struct buf out = { 0 };
	mounted_add_unescaped(&out, path);
	const char *text = buf_cstr(&out);
	int status = text ? STATUS_OK : status_error(path, -ENOMEM);
	if (text)
		puts(text);
	buf_free(&out);
	return status;
}

/* The folder of what `sessfs open` has printed for a directory. */
static int print_folder(const char *name)
{
	struct buf base = { 0 };
	struct buf place = { 0 };
	char *dir = realpath(name ? name : ".", NULL);
	if (!dir)
		return status_error(name ? name : ".", -errno);
	int err = mount_base_make(&base);
	if (!err)
		mount_base_add_place(&place, base.data, dir);
	const char *path = err ? NULL : buf_cstr(&place);
	int status = STATUS_OK;
	if (err == -EPERM)
		status = status_fail(
			base.data, "is not a directory of yours with mode 700");
	else if (!path)
		status = status_error(dir, -ENOMEM);
	else
		puts(path);
	free(dir);
	buf_free(&base);
	buf_free(&place);
	return status;
}

static bool is_key(const char *key)
{
	return *key && key[strspn(key, "abcdefghijklmnopqrstuvwxyz-")] == '\0';
}

static int run(const struct options *o)
{
	const struct root_options *own = o->own;
	const char *path = o->n_names > 0 ? o->names[0] : NULL;
	int given = (own->entry != NULL) + (own->key != NULL) +
		    (own->escaped != NULL) + (own->folder > 0);
	if (given > 1 || (own->escaped && path)) {
		fputs("sessfs: root: -d, -e, -i and -u exclude each other, and "
		      "-u "
		      "takes one path (sessfs root -h for help)\n",
		      stderr);
		return STATUS_USAGE;
	}
	if (own->key && !is_key(own->key))
		return status_trouble(own->key, "no key of info");
	if (own->entry)
		return print_entry(own->entry, path);
	if (own->key)
		return print_value(own->key, path);
	if (own->folder)
		return print_folder(path);
	return own->escaped ? print_unescaped(own->escaped) : print_root(path);
}

static const struct option_row rows[] = {
	{ 'e', NULL, OPTION_TEXT, offsetof(struct root_options, entry), "ENTRY",
	  WORD_ENTRY,
	  "the folder of this entry: an id or the start of one,\n"
	  "a label, a branch, HEAD, HEAD/parent or a path" },
	{ 'i', NULL, OPTION_TEXT, offsetof(struct root_options, key), "KEY",
	  WORD_ANY, "the path that info has as KEY, such as file or cwd" },
	{ 'u', NULL, OPTION_TEXT, offsetof(struct root_options, escaped),
	  "PATH", WORD_ANY, "a path that sessfs printed, without escapes" },
	{ 'd', NULL, OPTION_FLAG, offsetof(struct root_options, folder), NULL,
	  WORD_NONE, "the folder of what sessfs open last printed for PATH" },
	OPTION_ROW_END,
};

const struct command command_root = {
	.name = "root",
	.usage = "[PATH]",
	.help = "Print the root of the mounted session that a path is in.",
	.options = rows,
	.size = sizeof(struct root_options),
	.most = 1,
	.run = run,
};
