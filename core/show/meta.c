#include "core/show/meta.h"

#include <string.h>

#include "core/base/text.h"
#include "core/json/js.h"
#include "core/json/timestamp.h"
#include "core/session/dialect.h"
#include "core/show/rows.h"
#include "core/show/usage.h"

void meta_add_value(struct buf *out, struct json v)
{
	if (!js_is_nullish(v))
		js_to_string(out, v);
}

void meta_add_at(struct buf *out, struct json v, const char *paths)
{
	size_t from = out->len;
	struct span rest = span_of(paths);
	while (rest.n > 0 && out->len == from) {
		struct span path = span_next(&rest, '|');
		bool asked = span_starts(path, SPAN("?"));
		if (asked)
			span_next(&path, '?');
		struct json at = json_at(v, path);
		if (!asked)
			meta_add_value(out, at);
		else if (json_truthy(at))
			buf_adds(out, "yes");
	}
}

void meta_add_kind(struct buf *out, struct json role, struct json type)
{
	if (json_is_string(role))
		json_decode(out, role);
	else if (json_is_string(type))
		json_decode(out, type);
	else
		buf_adds(out, "unknown");
}

void meta_add_tools(struct buf *out, block_reader *read, struct json blocks)
{
	const char *between = "";
	JSON_EACH(block, blocks) {
		struct block b = read(block);
		if (b.type != BLOCK_CALL && b.type != BLOCK_RESULT)
			continue;
		buf_adds(out, between);
		js_to_string(out, b.type == BLOCK_CALL ? b.name : b.id);
		between = ", ";
	}
}

void meta_add_error(struct buf *out, block_reader *read, struct json blocks)
{
	bool failed = false;
	JSON_EACH_WHILE(!failed, block, blocks)
		failed = json_truthy(read(block).error);
	buf_adds(out, failed ? "yes" : "");
}

/* Append a line, unless the value is empty. Its line breaks are escaped. */
static void add_row(struct buf *out, const char *key, struct buf *value)
{
	buf_inherit(out, value);
	if (value->len == 0)
		return;
	buf_adds(out, key);
	buf_adds(out, ": ");
	text_add_one_line(out, buf_span(value));
	buf_addc(out, '\n');
	buf_clear(value);
}

static void add_value(const struct meta_row *row, struct buf *out,
		      struct json entry)
{
	if (row->add)
		row->add(out, entry);
	else
		meta_add_at(out, entry, row->at);
}

void meta_add_row(const struct dialect *d, const char *key, struct buf *out,
		  struct json entry)
{
	for (const struct meta_row *row = d->showing->meta; row && row->key;
	     row++) {
		if (strcmp(row->key, key) == 0)
			add_value(row, out, entry);
	}
}

int meta_add(const struct session *s, uint32_t entry, struct buf *out)
{
	const struct dialect_showing *d = s->dialect->showing;
	const struct entry *e = session_entry(s, entry);
	struct buf line BUF_SCOPED = { 0 };
	struct buf value BUF_SCOPED = { 0 };
	struct json json;
	struct usage sum;
	size_t from = out->len;
	int err = session_read(s, entry, &line, &json);
	if (!err) {
		buf_add(&value, index_id(&s->now.index, entry));
		add_row(out, "id", &value);
		if (e->parent != INDEX_NONE)
			buf_add(&value, index_id(&s->now.index, e->parent));
		add_row(out, "parent", &value);
		buf_adds(&value, e->bridged ? "yes" : "");
		add_row(out, "bridged", &value);
		json_decode(&value, rows_type(d, json));
		add_row(out, "type", &value);
		timestamp_add(&value, e->time);
		add_row(out, "timestamp", &value);
		buf_addf(&value, "%u", e->line);
		add_row(out, "line", &value);
		buf_adds(&value, e->bookkeeping ? "yes" : "");
		add_row(out, "bookkeeping", &value);
		for (const struct meta_row *row = d->meta; row && row->key;
		     row++) {
			add_value(row, &value, json);
			add_row(out, row->key, &value);
		}
		err = usage_to(s, entry, json, &sum);
		if (!err)
			usage_add_lines(out, "path", &sum);
		text_finish(out, from);
	}
	if (!err)
		err = buf_error(out);
	return err;
}
