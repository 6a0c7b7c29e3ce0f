#include "fs/tree/views.h"

#include <errno.h>

#include "core/show/step_name.h"

static int next(const struct node *dir, uint32_t *at, struct buf *name,
		struct node *n)
{
	const struct session *s = dir->place->session;
	*n = (struct node){ .kind = KIND_PATH_LINK, .place = dir->place };
	int err = head_path_entry(s, *at + 1, &n->entry);
	if (err)
		return err == -ENOENT ? 0 : err;
	err = node_check_file(s, step_name_add(s, *at + 1, n->entry, name));
	*at += !err;
	return err ? err : 1;
}

/* The name is rendered again to compare it; a number alone is not listed. */
static int find(const struct node *dir, struct span name, struct node *n)
{
	struct buf real BUF_SCOPED = { 0 };
	bool whole;
	uint32_t number = step_name_number(name, &whole);
	uint32_t at = number - 1;
	*n = (struct node){ .kind = KIND_PATH_LINK, .place = dir->place };
	if (whole)
		return head_path_entry(dir->place->session, number, &n->entry);
	int got = next(dir, &at, &real, n);
	if (got > 0)
		got = span_eq(name, buf_span(&real));
	return got > 0 ? 0 : got < 0 ? got : -ENOENT;
}

const struct view path_view = { find, next, NULL, NULL };
