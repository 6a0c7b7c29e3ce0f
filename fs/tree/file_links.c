#include "fs/tree/views.h"

#include <errno.h>

#include "core/show/touches.h"

static struct node folder_node(const struct node *in, uint32_t folder)
{
	return (struct node){ .kind = folder == TOUCH_ROOT ? KIND_BY_FILE
							   : KIND_FILE_FOLDER,
			      .entry = folder,
			      .place = in->place };
}

static struct node link_node(const struct node *in, const struct touch *t)
{
	return (struct node){ KIND_FILE_LINK, t->entry, t->nth, in->place };
}

int file_links_check(const struct node *n)
{
	const struct session *s = n->place->session;
	struct touch t;
	struct touch_folder f;
	int err = n->kind == KIND_FILE_LINK
			  ? touches_of_entry(s, n->entry, n->nth, &t)
			  : touches_folder(s, n->entry, &f);
	return node_check_file(s, err);
}

static int find(const struct node *dir, struct span name, struct node *n)
{
	const struct session *s = dir->place->session;
	struct touch t;
	uint32_t folder;
	int err = touches_find(s, dir->entry, name, &t);
	if (!err)
		*n = link_node(dir, &t);
	if (err != -ENOENT)
		return node_check_file(s, err);
	err = touches_find_folder(s, dir->entry, name, &folder);
	if (!err)
		*n = folder_node(dir, folder);
	return node_check_file(s, err);
}

static int next_folder(const struct node *dir, uint32_t *at, struct buf *name,
		       struct node *n)
{
	const struct session *s = dir->place->session;
	uint32_t folder;
	int got = touches_next_folder(s, dir->entry, at, name, &folder);
	if (got > 0)
		*n = folder_node(dir, folder);
	return node_check_file(s, got);
}

static int next(const struct node *dir, uint32_t *at, struct buf *name,
		struct node *n)
{
	const struct session *s = dir->place->session;
	struct touch t;
	int got = touches_next(s, dir->entry, at, name, &t);
	if (got > 0)
		*n = link_node(dir, &t);
	return node_check_file(s, got);
}

static struct node around(const struct node *dir)
{
	struct touch_folder f = { .around = TOUCH_ROOT };
	if (dir->kind == KIND_BY_FILE)
		return (struct node){ .kind = KIND_ROOT, .place = dir->place };
	(void)touches_folder(dir->place->session, dir->entry, &f);
	return folder_node(dir, f.around);
}

const struct view file_links_view = { find, next, next_folder, around };

int file_links_render(const struct session *s, const struct node *n,
		      struct buf *out)
{
	struct touch t;
	struct touch_folder f;
	int err = touches_of_entry(s, n->entry, n->nth, &t);
	if (!err)
		err = touches_folder(s, t.folder, &f);
	if (err)
		return node_check_file(s, err);
	for (uint32_t i = 0; i <= f.depth; i++)
		buf_adds(out, "../");
	buf_adds(out, "by-id/");
	index_add_name(&s->now.index, out, n->entry);
	return buf_error(out);
}

int file_links_resolve(const struct session *s, const struct span *path,
		       size_t n, uint32_t *entry, size_t *used)
{
	uint32_t folder = TOUCH_ROOT;
	struct touch t;
	int err = -ENOENT;
	for (*used = 0; *used < n;) {
		struct span name = path[(*used)++];
		err = touches_find(s, folder, name, &t);
		if (!err)
			*entry = t.entry;
		if (err != -ENOENT)
			return err;
		err = touches_find_folder(s, folder, name, &folder);
		if (err)
			return err;
	}
	return -ENOENT;
}
