#include "fs/tree/views.h"

#include <errno.h>

#include "core/files/files_at.h"
#include "core/show/touches.h"

bool files_has(const struct node *dir)
{
	return dir->kind == KIND_FILES || dir->kind == KIND_ENTRY_FILES ||
	       dir->kind == KIND_TREE_FILES;
}

bool files_is_file(const struct node *n)
{
	return n->kind == KIND_FILE_AT_HEAD || n->kind == KIND_FILE_AT;
}

/* The entry whose files a folder has. */
static uint32_t entry_of(const struct node *n)
{
	return node_has_entry(n) ? n->entry
				 : session_at_leaf(n->place->session);
}

/* The number of a folder among those that have others in them. */
static int find_dir(const struct session *s, uint32_t folder, uint32_t *dir)
{
	struct touch_folder f;
	int err = touches_folder(s, folder, &f);
	*dir = err ? 0 : f.dir;
	return err ? err : f.dir == TOUCH_NONE ? -ENOENT : 0;
}

/* The node of what a folder has. */
static int node_of(const struct node *dir, const struct file_at *f,
		   struct node *n)
{
	*n = *dir;
	if (f->is_dir)
		return find_dir(dir->place->session, f->folder, &n->nth);
	n->kind = dir->kind == KIND_FILES ? KIND_FILE_AT_HEAD : KIND_FILE_AT;
	n->entry = f->entry;
	n->nth = f->nth;
	return 0;
}

int files_check(const struct node *n)
{
	const struct session *s = n->place->session;
	struct file_at f;
	uint32_t folder;
	int err = 0;
	if (files_is_file(n))
		err = files_at_file(s, n->entry, n->nth, &f);
	else if (n->nth > 0)
		err = touches_dir_folder(s, n->nth, &folder);
	return node_check_file(s, err);
}

static int find(const struct node *dir, struct span name, struct node *n)
{
	const struct session *s = dir->place->session;
	struct file_at f;
	uint32_t folder;
	int err = touches_dir_folder(s, dir->nth, &folder);
	if (!err)
		err = files_at_find(s, entry_of(dir), folder, name, &f);
	if (!err)
		err = node_of(dir, &f, n);
	return node_check_file(s, err);
}

static int next(const struct node *dir, uint32_t *at, struct buf *name,
		struct node *n)
{
	const struct session *s = dir->place->session;
	struct file_at f;
	uint32_t folder;
	size_t from = name->len;
	int got = touches_dir_folder(s, dir->nth, &folder);
	if (got == -ENOENT)
		return 0;
	/* A folder without a number is left out. */
	while (got == 0) {
		name->len = from;
		got = files_at_next(s, entry_of(dir), folder, at, name, &f);
		if (got <= 0)
			break;
		int err = node_of(dir, &f, n);
		got = err == -ENOENT ? 0 : err ? err : 1;
	}
	return node_check_file(s, got);
}

static struct node around(const struct node *dir)
{
	const struct session *s = dir->place->session;
	struct node n = *dir;
	struct touch_folder f;
	uint32_t folder;
	if (dir->nth == 0) {
		n.kind = dir->kind == KIND_FILES	? KIND_ROOT
			 : dir->kind == KIND_TREE_FILES ? KIND_TREE_ENTRY
							: KIND_ID_ENTRY;
		return n;
	}
	if (touches_dir_folder(s, dir->nth, &folder) ||
	    touches_folder(s, folder, &f) || find_dir(s, f.around, &n.nth))
		n.nth = 0;
	return n;
}

const struct view files_view = { find, next, NULL, around };

int files_describe(const struct node *n, struct file_at *f)
{
	const struct session *s = n->place->session;
	return node_check_file(s, files_at_file(s, n->entry, n->nth, f));
}

int files_render(const struct session *s, const struct node *n, struct buf *out)
{
	struct file_at f;
	int err = files_at_file(s, n->entry, n->nth, &f);
	return err ? err : files_at_add_text(s, &f, out);
}

int files_render_table(const struct session *s, const struct node *n,
		       struct buf *out)
{
	return files_at_add_table(s, entry_of(n), out);
}
