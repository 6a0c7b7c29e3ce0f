#include "core/dialects/kit/ingest.h"

#include <errno.h>

#include "core/base/array.h"
#include "core/base/text.h"
#include "core/json/js.h"
#include "core/json/writer.h"

struct span ingest_string(struct buf *scratch, struct json v)
{
	if (!json_is_string(v))
		return (struct span){ "", 0 };
	struct span in = { v.raw.p + 1, v.raw.n - 2 };
	if (!memchr(in.p, '\\', in.n) && text_is_utf8(in))
		return in;
	json_decode(scratch, v);
	return buf_span(scratch);
}

uint32_t ingest_find_id(const struct session *s, struct json id)
{
	struct buf scratch BUF_SCOPED = { 0 };
	uint32_t entry = INDEX_NONE;
	struct span text = ingest_string(&scratch, id);
	if (text.n > 0 && !scratch.failed)
		entry = index_find(&s->now.index, text);
	return entry;
}

int ingest_entry(struct session *s, struct index_line *l,
		 const struct line_place *at, uint32_t *entry)
{
	struct contents *c = &s->now;
	bool again;
	c->stray_line = 0;
	l->offset = at->offset;
	l->length = at->length;
	l->line = at->number;
	l->digest = at->digest;
	l->bookkeeping =
		bookkeeping_has(s->dialect->reading->bookkeeping, l->type);
	*entry = INDEX_NONE;
	int err = index_add(&c->index, l, entry, &again);
	if (err == -EFBIG) {
		problems_note(&c->problems, PROBLEM_TOO_LONG, at->number);
		*entry = INDEX_NONE;
		return 0;
	}
	if (err)
		return err;
	c->leaf = *entry;
	if (again) {
		c->redefined_ids++;
		problems_note(&c->problems, PROBLEM_DUPLICATE, at->number);
	}
	return 0;
}

int ingest_named_entry(struct session *s, struct json id, struct json parent,
		       struct index_line *l, const struct line_place *at,
		       uint32_t *entry)
{
	struct buf id_text BUF_SCOPED = { 0 };
	struct buf parent_text BUF_SCOPED = { 0 };
	l->id = ingest_string(&id_text, id);
	l->parent = ingest_string(&parent_text, parent);
	*entry = INDEX_NONE;
	int err = id_text.failed || parent_text.failed ? -ENOMEM : 0;
	return err ? err : ingest_entry(s, l, at, entry);
}

int ingest_label(struct session *s, struct json target, struct json text,
		 int64_t time, const struct line_place *at)
{
	const struct label_line line = { .number = at->number,
					 .length = (uint32_t)at->length,
					 .offset = at->offset,
					 .time = time,
					 .version = s->version };
	struct buf id BUF_SCOPED = { 0 };
	struct buf label BUF_SCOPED = BUF_INTO(&id);
	if (!json_is_string(target))
		return 0;
	json_decode(&id, target);
	/* An empty text clears. */
	if (json_truthy(text))
		js_to_string(&label, text);
	return id.failed ? -ENOMEM
			 : labels_set(&s->now.labels, &s->now.index,
				      buf_span(&id), buf_span(&label), &line);
}

int ingest_header(struct session *s, struct json line, bool first,
		  const struct line_place *at)
{
	struct contents *c = &s->now;
	c->stray_line = 0;
	if (c->header.len > 0) {
		problems_note(&c->problems, PROBLEM_HEADER, at->number);
		return 0;
	}
	buf_add(&c->header, line.raw);
	c->header_first = first;
	return buf_error(&c->header);
}

int ingest_made_header(struct session *s, size_t n, const char *const names[],
		       const struct json values[])
{
	struct json_writer w = { .out = &s->now.header };
	buf_reset(w.out);
	json_begin_object(&w, NULL);
	for (size_t i = 0; i < n; i++)
		json_write_value(&w, names[i], values[i]);
	json_end_object(&w);
	return buf_error(w.out);
}

int ingest_name(struct session *s, struct json name)
{
	struct buf text BUF_SCOPED = { 0 };
	json_decode(&text, name);
	buf_reset(&s->now.name);
	buf_add(&s->now.name, text_trim(buf_span(&text)));
	int err = buf_error(&text) ? -ENOMEM : buf_error(&s->now.name);
	text_finish(&s->now.name, 0);
	return err;
}

int ingest_note(struct session *s, const struct line_place *at)
{
	struct contents *c = &s->now;
	if (at->length > UINT32_MAX)
		return 0;
	return array_add(&c->notes.list, &c->notes.cap, &c->notes.n,
			 (struct note_place){ .offset = at->offset,
					      .length = (uint32_t)at->length,
					      .entry = c->index.n });
}

void ingest_no_entry(struct session *s, const struct line_place *at)
{
	problems_note(&s->now.problems, PROBLEM_NO_ENTRY, at->number);
	s->now.stray_line = at->number;
}

bool ingest_skips(struct session *s, struct json line,
		  const struct line_place *at)
{
	if (json_truthy(line))
		return false;
	if (json_type(line) != JSON_ABSENT)
		problems_note(&s->now.problems, PROBLEM_NO_ENTRY, at->number);
	return true;
}

struct unopened ingest_lacks_header(const struct session *s)
{
	struct unopened u = { 0 };
	if (!s->now.header_first)
		u.why = s->now.header.len == 0 ? "no header" : "late header";
	return u;
}
