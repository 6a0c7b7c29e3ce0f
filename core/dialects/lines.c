/*
 * Any JSONL file, line by line: for formats that sessfs does not know, and for
 * version 4 of Pi's agent library, in which a line is a transaction.
 *
 * A line that is JSON is an entry. Its id is its number, and its parent is the
 * entry before it. The context is empty, and the file is never written to.
 */
#include <stdio.h>

#include "core/base/text.h"
#include "core/dialects/kit/ingest.h"
#include "core/dialects/kit/line.h"
#include "core/dialects/registry.h"
#include "core/json/timestamp.h"

static const char *claims(struct json line)
{
	JSON_FIELDS(f, line, v, kind, id, cwd, storageVersion);
	bool v4 = json_number(f.v) == 4 && json_is(f.kind, SPAN("header")) &&
		  json_is_string(f.id) && json_is_string(f.cwd) &&
		  json_type(f.storageVersion) == JSON_NUMBER;
	return v4 ? "a header of the harness's version 4" : NULL;
}

static int ingest(struct session *s, struct json line,
		  const struct line_place *at)
{
	char id[16];
	char parent[16] = "";
	const struct contents *c = &s->now;
	if (json_type(line) == JSON_ABSENT)
		return 0;
	if (c->index.n > 0)
		snprintf(parent, sizeof(parent), "%u",
			 session_entry(s, c->index.n - 1)->line);
	snprintf(id, sizeof(id), "%u", at->number);
	struct index_line l = {
		.id = span_of(id),
		.parent = span_of(parent),
		.time = timestamp_parse(json_get(line, "timestamp")),
	};
	uint32_t entry;
	return ingest_entry(s, &l, at, &entry);
}

static const char *const envelope[] = { NULL };

/* The members in which formats have the type of a line. */
static const char *const type_fields[] = { "type", "kind", "role", "event" };

static void role_or_type(struct buf *out, struct json entry)
{
	struct json f[4];
	json_get_all(entry, 4, type_fields, f);
	for (size_t i = 0; i < 4 && out->len == 0; i++)
		json_decode(out, f[i]);
	if (out->len == 0)
		buf_adds(out, "line");
}

/* The start of the line: a preview is short. */
static void preview(struct buf *out, struct json entry)
{
	struct span start = entry.raw;
	if (start.n > 400)
		start.n = 400;
	text_add_utf8(out, start);
}

static int context(const struct session *s, const struct path *p,
		   struct messages *to)
{
	(void)s;
	(void)p;
	(void)to;
	return 0;
}

/* All lines up to the entry. */
static int branch(const struct session *s, uint32_t entry, unsigned nth,
		  struct buf *out)
{
	struct buf line BUF_SCOPED = { 0 };
	struct json json;
	int err = 0;
	(void)nth;
	for (uint32_t i = 0; i <= entry && !err; i++) {
		err = session_read(s, i, &line, &json);
		if (!err)
			line_add(out, json);
	}
	return err ? err : buf_error(out);
}

static const struct dialect_reading reading = {
	.ingest = ingest,
};

static const struct dialect_showing showing = {
	.envelope = envelope,
	.role_or_type = role_or_type,
	.read_block = block_read_pi,
	.preview = preview,
};

static const struct dialect_sending sending = {
	.context = context,
	.branch = branch,
};

static const struct dialect_adding adding = { 0 };

const struct dialect dialect_lines = {
	.name = "lines",
	.claims = claims,
	.reading = &reading,
	.showing = &showing,
	.sending = &sending,
	.adding = &adding,
};
