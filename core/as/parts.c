#include "core/as/parts.h"

#include <errno.h>
#include <stdlib.h>

#include "core/base/array.h"
#include "core/base/base64.h"
#include "core/base/text.h"
#include "core/json/flat.h"
#include "core/json/js.h"
#include "core/json/writer.h"

int conversation_add_turn(struct conversation *c, struct turn t)
{
	t.first = c->n_parts;
	t.n = 0;
	return array_add(&c->turns, &c->cap_turns, &c->n_turns, t);
}

int conversation_add_part(struct conversation *c, struct part p)
{
	int err = array_add(&c->parts, &c->cap_parts, &c->n_parts, p);
	c->turns[c->n_turns - 1].n += !err;
	return err;
}

int conversation_keep(struct conversation *c, struct span *s)
{
	if (s->n == 0)
		return 0;
	int err = array_reserve(&c->kept, &c->cap_kept, c->n_kept, 1);
	char *copy = err ? NULL : malloc(s->n);
	if (!copy)
		return -ENOMEM;
	s->p = c->kept[c->n_kept++] = memcpy(copy, s->p, s->n);
	return 0;
}

/* Keep a value, on one line, in UTF-8 and without lone surrogates. */
static int keep_json(struct conversation *c, struct json *v)
{
	struct buf utf8 BUF_SCOPED = { 0 };
	struct buf formed BUF_SCOPED = { 0 };
	if (!text_is_utf8(v->raw)) {
		text_add_utf8(&utf8, v->raw);
		v->raw = buf_span(&utf8);
	}
	if (!json_is_well_formed(v->raw)) {
		json_add_well_formed(&formed, v->raw);
		v->raw = buf_span(&formed);
	}
	buf_inherit(&utf8, &formed);
	int err = buf_error(&utf8);
	if (!err)
		err = conversation_keep(c, &v->raw);
	if (!err && v->raw.n > 0)
		json_join(c->kept[c->n_kept - 1], v->raw.n);
	v->ends = NULL;
	return err;
}

int parts_keep_id(struct conversation *c, struct json id, struct span *kept)
{
	struct buf decoded BUF_SCOPED = { 0 };
	json_decode(&decoded, id);
	*kept = buf_span(&decoded);
	int err = buf_error(&decoded);
	if (!err)
		err = conversation_keep(c, kept);
	return err;
}

static int add_text(struct conversation *c, struct json text,
		    struct json document)
{
	struct part p = { .type = PART_TEXT,
			  .text = text,
			  .document = document };
	if (!json_is_string(text) || js_is_blank(text))
		return 0;
	int err = keep_json(c, &p.text);
	if (!err)
		err = keep_json(c, &p.document);
	return err ? err : conversation_add_part(c, p);
}

/* Add what a buf has as a text, and free it. */
static int add_made(struct conversation *c, struct buf *text,
		    struct json document)
{
	struct buf quoted BUF_SCOPED = { 0 };
	text_finish(text, 0);
	json_quote(&quoted, buf_span(text));
	buf_inherit(&quoted, text);
	int err = buf_error(&quoted);
	if (!err)
		err = add_text(c, (struct json){ .raw = buf_span(&quoted) },
			       document);
	buf_free(text);
	return err;
}

int parts_add_text(struct conversation *c, struct span text)
{
	struct buf own = { 0 };
	buf_add(&own, text);
	return add_made(c, &own, (struct json){ 0 });
}

/* -- blocks that not all agents have */

/*
 * Does a line of flat.h belong to a member that is of no use to another model?
 * Its path ends at the first colon.
 */
static bool is_encrypted(struct span line)
{
	static const struct span names[] = { SPAN("encrypted_content"),
					     SPAN("encrypted_index"),
					     SPAN("signature"),
					     SPAN("cache_control") };
	const char *colon = memchr(line.p, ':', line.n);
	const char *end = colon ? colon : line.p + line.n;
	for (const char *p = line.p; p < end;) {
		const char *dot = memchr(p, '.', (size_t)(end - p));
		struct span name = { p, (size_t)((dot ? dot : end) - p) };
		const char *index = memchr(p, '[', name.n);
		if (index)
			name.n = (size_t)(index - p);
		for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
			if (span_eq(name, names[i]))
				return true;
		}
		p = dot ? dot + 1 : end;
	}
	return false;
}

/* Append the members of a block as lines. */
static void add_members(struct buf *out, struct json raw)
{
	struct buf lines BUF_SCOPED = BUF_INTO(out);
	flat_add(&lines, raw);
	struct span rest = buf_span(&lines);
	bool left_out = false;
	while (rest.n > 0) {
		const char *from = rest.p;
		struct span line = span_next_line(&rest);
		/* The lines of a text follow its path, indented. */
		if (line.n > 0 && line.p[0] != ' ')
			left_out = is_encrypted(line);
		if (!left_out)
			buf_add(out,
				(struct span){ from, (size_t)(rest.p - from) });
	}
	while (out->len > 0 && out->data[out->len - 1] == '\n')
		out->len--;
}

/* A document's own text, or a few words in its place. */
static void add_document(struct buf *out, struct json raw)
{
	struct buf data BUF_SCOPED = BUF_INTO(out);
	struct buf bytes BUF_SCOPED = BUF_INTO(out);
	struct json source = json_get(raw, "source");
	JSON_FIELDS(f, source, type, data, media_type, url);
	bool has_data = json_is_string(f.data);
	if (json_is(f.type, SPAN("text")) && has_data) {
		json_decode(out, f.data);
	} else if (json_is(f.type, SPAN("base64")) && has_data) {
		json_decode(&data, f.data);
		base64_decode(&bytes, buf_span(&data));
		buf_adds(out, "[document ");
		js_to_string(out, f.media_type);
		buf_addf(out, " %zu bytes]", bytes.len);
	} else if (json_is(f.type, SPAN("url")) && json_is_string(f.url)) {
		buf_adds(out, "[document ");
		json_decode(out, f.url);
		buf_addc(out, ']');
	} else {
		add_members(out, raw);
	}
}

static int add_other(struct conversation *c, struct json raw)
{
	struct buf text = { 0 };
	struct json type = json_get(raw, "type");
	struct json document = { 0 };
	if (json_type(raw) != JSON_OBJECT ||
	    JSON_IS(type, "redacted_thinking", "redactedThinking", "fallback"))
		return 0;
	if (json_is(type, SPAN("document"))) {
		add_document(&text, raw);
		document = raw;
	} else {
		add_members(&text, raw);
	}
	return add_made(c, &text, document);
}

/* -- pictures */

/* data:image/png;base64,... */
static bool split_data_url(struct part *p)
{
	static const struct span mark = SPAN(";base64,");
	struct span url = p->data;
	const char *comma = memchr(url.p, ',', url.n);
	if (!span_starts(url, SPAN("data:")) || !comma)
		return false;
	struct span head = { url.p, (size_t)(comma + 1 - url.p) };
	if (!span_ends(head, mark))
		return false;
	p->mime = (struct span){ url.p + 5, head.n - 5 - mark.n };
	p->data = (struct span){ comma + 1, url.n - head.n };
	return true;
}

static int add_picture(struct conversation *c, const struct block *b)
{
	struct part p = { .type = PART_PICTURE };
	bool has_data = json_is_string(b->data);
	struct json from = has_data ? b->data : b->url;
	int err = parts_keep_id(c, from, &p.data);
	if (err)
		return err;
	if (p.data.n == 0)
		return add_other(c, b->json);
	if (split_data_url(&p))
		return conversation_add_part(c, p);
	if (!has_data || span_starts(p.data, SPAN("http:")) ||
	    span_starts(p.data, SPAN("https:"))) {
		p.url = from;
		p.data.n = 0;
		err = keep_json(c, &p.url);
	} else {
		err = parts_keep_id(c, b->mime, &p.mime);
	}
	return err ? err : conversation_add_part(c, p);
}

/* -- calls */

/*
 * What a call has as arguments: an object, or a text. `scratch` may have the
 * bytes of either.
 */
static struct json read_arguments(const struct block *b, struct buf *scratch)
{
	struct json v = block_arguments(b, scratch);
	enum json_type type = json_type(v);
	if (type == JSON_OBJECT)
		return v;
	/* A text that is JSON of another type is a text. */
	if (b->quoted && json_is_string(b->arguments)) {
		v = b->arguments;
		type = JSON_STRING;
	}
	if (type == JSON_ABSENT || type == JSON_NULL ||
	    (type == JSON_STRING && js_is_blank(v)))
		return (struct json){ .raw = SPAN("{}") };
	if (type == JSON_STRING)
		return v;
	struct buf object = { 0 };
	struct json_writer w = { .out = &object };
	json_begin_object(&w, NULL);
	json_write_value(&w, "input", v);
	json_end_object(&w);
	buf_free(scratch);
	*scratch = object;
	return (struct json){ .raw = buf_span(scratch) };
}

static int add_call(struct conversation *c, const struct block *b)
{
	struct part p = { .type = PART_CALL, .name = b->name };
	struct buf scratch BUF_SCOPED = { 0 };
	if (!json_is_string(b->id))
		return add_other(c, b->json);
	if (!json_has_text(p.name))
		p.name.raw = SPAN("\"unknown\"");
	p.arguments = read_arguments(b, &scratch);
	int err = buf_error(&scratch);
	if (!err)
		err = keep_json(c, &p.arguments);
	if (!err)
		err = keep_json(c, &p.name);
	if (!err)
		err = parts_keep_id(c, b->id, &p.id);
	return err ? err : conversation_add_part(c, p);
}

int parts_add_block(struct conversation *c, const struct block *b)
{
	bool assistant = c->turns[c->n_turns - 1].role == TURN_ASSISTANT;
	switch (b->type) {
	case BLOCK_TEXT:
	case BLOCK_THINKING:
		return add_text(c, b->text, (struct json){ 0 });
	case BLOCK_PICTURE:
		return add_picture(c, b);
	case BLOCK_CALL:
		return assistant ? add_call(c, b) : add_other(c, b->json);
	case BLOCK_RESULT:
	case BLOCK_OTHER:
		break;
	}
	return add_other(c, b->json);
}
