#include "core/dialects/kit/line.h"

#include "core/json/timestamp.h"

struct json_writer line_begin(struct buf *out, const char *type)
{
	struct json_writer w = { .out = out };
	json_begin_object(&w, NULL);
	json_write_word(&w, "type", type);
	return w;
}

void line_quote_id(struct buf *out, const struct session *s, uint32_t entry)
{
	struct json_writer w = { .out = out };
	line_add_id(&w, NULL, s, entry);
}

void line_add_id(struct json_writer *w, const char *key,
		 const struct session *s, uint32_t entry)
{
	if (entry == INDEX_NONE)
		json_write_null(w, key);
	else
		json_write_string(w, key, index_id(&s->now.index, entry));
}

void line_quote_time(struct buf *out, int64_t ms)
{
	struct json_writer w = { .out = out };
	line_add_time(&w, NULL, ms);
}

void line_add_time(struct json_writer *w, const char *key, int64_t ms)
{
	struct buf time BUF_SCOPED = { 0 };
	timestamp_add(&time, ms);
	json_write_string_buf(w, key, &time);
}

void line_quote_origin(struct buf *out, const struct session *s, uint32_t entry)
{
	struct json_writer w = { .out = out };
	json_begin_object(&w, NULL);
	json_write_value(&w, "sessionId", session_header(s, "id"));
	line_add_id(&w, "messageUuid", s, entry);
	json_end_object(&w);
}

int line_add_label_time(struct json_writer *w, const struct session *s,
			const struct label *l)
{
	struct buf line BUF_SCOPED = { 0 };
	struct json json;
	int err =
		session_read_line(s, l->at.offset, l->at.length, &line, &json);
	if (!err)
		json_write_value(w, "timestamp", json_get(json, "timestamp"));
	return err;
}

int line_end(struct json_writer *w)
{
	json_end_object(w);
	buf_addc(w->out, '\n');
	return buf_error(w->out);
}

void line_add(struct buf *out, struct json line)
{
	buf_add(out, line.raw);
	buf_addc(out, '\n');
}

struct buf *line_change(struct line_changes *c, const char *key)
{
	c->list[c->n].key = key;
	return &c->values[c->n++];
}

static void add_with(struct buf *out, struct json line, struct line_changes *c,
		     void (*change)(struct buf *out, struct json object,
				    const struct json_change *changes,
				    size_t n))
{
	for (size_t i = 0; i < c->n; i++)
		c->list[i].value = buf_span(&c->values[i]);
	size_t from = out->len;
	if (c->n > 0)
		change(out, line, c->list, c->n);
	else
		buf_add(out, line.raw);
	json_join_lines(out, from);
	buf_addc(out, '\n');
	for (size_t i = 0; i < c->n; i++)
		buf_free_into(&c->values[i], out);
}

void line_add_rewritten(struct buf *out, struct json line,
			struct line_changes *c)
{
	add_with(out, line, c, json_rewrite);
}

void line_add_spliced(struct buf *out, struct json line, struct line_changes *c)
{
	add_with(out, line, c, json_splice);
}

bool template_next_place(const char **template, struct buf *out,
			 struct span *place)
{
	size_t n = strcspn(*template, "{");
	buf_add(out, (struct span){ *template, n });
	*template += n;
	if (!**template)
		return false;
	*place = (struct span){ *template + 1, strcspn(*template + 1, "}") };
	*template = place->p + place->n + 1;
	return true;
}
