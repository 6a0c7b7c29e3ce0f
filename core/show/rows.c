#include "core/show/rows.h"

#include "core/show/meta.h"

const char *const rows_roles[] = {
	"user",	  "assistant",	       "toolResult",	"system",
	"custom", "bashExecution",     "developer",	"compaction",
	"label",  "compactionSummary", "branchSummary", NULL,
};

/* The first string at these paths. */
static struct json string_at(struct json line, const char *paths)
{
	struct span rest = span_of(paths);
	while (rest.n > 0) {
		struct json v = json_at(line, span_next(&rest, '|'));
		if (json_is_string(v))
			return v;
	}
	return (struct json){ 0 };
}

static bool fits(struct json v, const char *word)
{
	return !word || (json_is_string(v) && json_may_be(v, *word) &&
			 json_is(v, span_of(word)));
}

static const struct line_row none;
static const struct line_rows no_rows = { .type = "type", .list = &none };

const struct line_row *rows_of(const struct line_rows *rows, struct json type,
			       struct json kind)
{
	const struct line_row *row = rows->list;
	while (row->type && !(fits(type, row->type) && fits(kind, row->kind)))
		row++;
	return row;
}

const struct line_row *rows_find(const struct line_rows *rows, struct json line)
{
	rows = rows ? rows : &no_rows;
	struct json kind = { 0 };
	if (rows->kind)
		kind = string_at(line, rows->kind);
	return rows_of(rows, string_at(line, rows->type), kind);
}

struct json rows_type(const struct dialect_showing *d, struct json line)
{
	const struct line_rows *rows = d->rows ? d->rows : &no_rows;
	if (d->type)
		return d->type(line);
	return string_at(line,
			 rows->shown_type ? rows->shown_type : rows->type);
}

void rows_add_role(const struct dialect_showing *d, struct buf *out,
		   struct json line)
{
	if (d->role_or_type) {
		d->role_or_type(out, line);
		return;
	}
	const char *role = rows_find(d->rows, line)->role;
	struct json v = { 0 };
	if (role && *role == '=') {
		buf_adds(out, role + 1);
		return;
	}
	if (role)
		v = string_at(line, role);
	meta_add_kind(out, v, rows_type(d, line));
}

bool rows_is_said(const struct dialect_showing *d, struct json line)
{
	if (d->is_said)
		return d->is_said(line);
	struct buf role BUF_SCOPED = { 0 };
	rows_add_role(d, &role, line);
	return !span_eq(buf_span(&role), SPAN("system")) &&
	       !span_eq(buf_span(&role), SPAN("developer"));
}

struct json rows_content_at(const struct line_rows *rows, struct json line)
{
	const struct line_row *row = rows_find(rows, line);
	struct json v = { 0 };
	if (row->block)
		v = json_at(line, span_of(row->block));
	if (json_type(v) == JSON_OBJECT)
		return v;
	struct span paths = span_of(row->content ? row->content : "");
	while (paths.n > 0 && !json_has_members(v) && !json_has_text(v))
		v = json_at(line, span_next(&paths, '|'));
	if (!block_is_content(v))
		v = (struct json){ 0 };
	return v;
}

struct json rows_content(const struct dialect_showing *d, struct json line)
{
	return d->blocks ? d->blocks(line) : rows_content_at(d->rows, line);
}

void rows_add_preview(const struct dialect_showing *d, struct buf *out,
		      struct json line)
{
	if (d->preview)
		d->preview(out, line);
	else if (d->rows && d->rows->preview)
		meta_add_at(out, line, d->rows->preview);
}
