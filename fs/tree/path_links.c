#include "fs/tree/path_links.h"

#include <errno.h>

#include "core/show/head_path.h"
#include "core/show/step_name.h"
#include "fs/tree/node.h"

int path_links_get(const struct session *s, uint32_t number, struct buf *name,
		   uint32_t *entry)
{
	int err = head_path_entry(s, number, entry);
	if (err)
		return err == -ENOENT ? 0 : err;
	err = node_check_file(s, step_name_add(s, number, *entry, name));
	return err ? err : 1;
}

int path_links_find(const struct session *s, struct span name, uint32_t *entry)
{
	struct buf real BUF_SCOPED = { 0 };
	bool whole;
	uint32_t number = step_name_number(name, &whole);
	if (whole)
		return head_path_entry(s, number, entry);
	int got = path_links_get(s, number, &real, entry);
	if (got > 0)
		got = span_eq(name, buf_span(&real));
	return got > 0 ? 0 : got < 0 ? got : -ENOENT;
}
