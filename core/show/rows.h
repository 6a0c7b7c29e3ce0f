/*
 * What people see of a line, from its format's rows (struct line_rows in
 * core/session/dialect/showing.h). A format has functions of its own only for
 * what a row can't say; they are asked first.
 */
#ifndef SESSFS_ROWS_H
#define SESSFS_ROWS_H

#include "core/session/dialect.h"

/* The first row that a line fits. */
const struct line_row *rows_find(const struct line_rows *rows,
				 struct json line);

/* The same of a line with these, which the caller has read. */
const struct line_row *rows_of(const struct line_rows *rows, struct json type,
			       struct json kind);

/* The content that a line's row tells of; absent: none. */
struct json rows_content_at(const struct line_rows *rows, struct json line);

/* The value that is a line's type. */
struct json rows_type(const struct dialect_showing *d, struct json line);

/* Append a short word for a line: its role, else its type. */
void rows_add_role(const struct dialect_showing *d, struct buf *out,
		   struct json line);

/* Did anybody say or do it? dialect_showing.is_said() has what counts. */
bool rows_is_said(const struct dialect_showing *d, struct json line);

/* The content of a line, as for block_walk(); absent: none. */
struct json rows_content(const struct dialect_showing *d, struct json line);

/* Append a few words for a line whose content has none. */
void rows_add_preview(const struct dialect_showing *d, struct buf *out,
		      struct json line);

/* The roles and types that people look for, up to a NULL. */
extern const char *const rows_roles[];

#endif
