#include "fs/tree/xattr.h"

#include <errno.h>
#include <linux/limits.h>

#include "core/session/dialect.h"
#include "fs/tree/render.h"

#define NAMESPACE "user."
#define WHAT NAMESPACE "sessfs"
#define PREFIX WHAT "."

/* A line of `meta`. */
struct row {
	struct span key;
	struct span value;
};

/* Consume the first row of `rest`; false: there is none. */
static bool next_row(struct span *rest, struct row *row)
{
	struct span line = span_next_line(rest);
	const char *colon = memmem(line.p, line.n, ": ", 2);
	if (!colon)
		return false;
	row->key = (struct span){ line.p, (size_t)(colon - line.p) };
	row->value = span_from(line, row->key.n + 2);
	return true;
}

static bool has_any(const struct node *n)
{
	return node_kind_has_entry(n->kind) &&
	       node_kinds[n->kind].type != S_IFLNK;
}

static int render_meta(struct tree *t, const struct node *n,
		       struct rendering **meta)
{
	struct node at = { KIND_META, n->entry, 0, n->place };
	return render_file(t, &at, meta);
}

/* What a folder is; -ENODATA if it says nothing. */
static int add_what(const struct node *n, struct buf *value)
{
	const struct place *at = n->place;
	const struct session_opening *how = &at->places->opening;
	if (node_is_entry_folder(n)) {
		buf_adds(value,
			 n->kind == KIND_ID_ENTRY ? "entry " : "subtree ");
		index_add_name(&at->session->now.index, value, n->entry);
		return buf_error(value);
	}
	if (n->kind != KIND_ROOT && n->kind != KIND_FOLDER)
		return -ENODATA;
	buf_adds(value, at->set		       ? "set"
			: n->kind == KIND_ROOT ? "session "
					       : "folder ");
	if (at->set)
		return buf_error(value);
	if (how->forced)
		buf_addf(value, "dialect=%s ", how->forced->name);
	buf_adds(value, how->read_only ? "ro " : "");
	buf_adds(value, how->force ? "force " : "");
	buf_adds(value, at->path);
	return buf_error(value);
}

int xattr_get(struct tree *t, const struct node *n, struct span name,
	      struct buf *value)
{
	struct rendering *meta;
	if (span_eq(name, SPAN(WHAT)))
		return add_what(n, value);
	if (!span_starts(name, SPAN(NAMESPACE)))
		return -EOPNOTSUPP;
	if (!span_starts(name, SPAN(PREFIX)) || !has_any(n))
		return -ENODATA;
	int err = render_meta(t, n, &meta);
	if (err)
		return err;
	struct span key = span_from(name, sizeof(PREFIX) - 1);
	struct span rest = buf_span(&meta->bytes);
	struct row row;
	bool found = false;
	while (!found && next_row(&rest, &row))
		found = span_eq(row.key, key);
	if (!found)
		err = -ENODATA;
	else if (row.value.n > XATTR_SIZE_MAX)
		err = -E2BIG;
	else
		buf_add(value, row.value);
	cache_put(meta);
	return err ? err : buf_error(value);
}

int xattr_list(struct tree *t, const struct node *n, struct buf *names)
{
	struct rendering *meta;
	if (!has_any(n))
		return 0;
	int err = render_meta(t, n, &meta);
	if (err)
		return err;
	struct span rest = buf_span(&meta->bytes);
	struct row row;
	while (next_row(&rest, &row)) {
		if (row.value.n > XATTR_SIZE_MAX)
			continue;
		buf_adds(names, PREFIX);
		buf_add(names, row.key);
		buf_addc(names, '\0');
	}
	cache_put(meta);
	return buf_error(names);
}
