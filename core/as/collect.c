#include "core/as/collect.h"

#include <errno.h>

#include "core/base/array.h"
#include "core/base/text.h"
#include "core/json/js.h"
#include "core/json/timestamp.h"
#include "core/session/dialect.h"
#include "core/session/path.h"

struct collecting {
	struct messages to; /* first: the messages are ours */
	struct conversation *c;
	const struct session *s;
	int err;
};

int conversation_add_turn(struct conversation *c, struct turn t)
{
	if (array_reserve(&c->turns, &c->cap_turns, c->n_turns, 1) < 0)
		return -ENOMEM;
	t.first = c->n_parts;
	t.n = 0;
	c->turns[c->n_turns++] = t;
	return 0;
}

int conversation_add_part(struct conversation *c, struct part p)
{
	if (array_reserve(&c->parts, &c->cap_parts, c->n_parts, 1) < 0)
		return -ENOMEM;
	c->parts[c->n_parts++] = p;
	c->turns[c->n_turns - 1].n++;
	return 0;
}

static bool is_blank(struct json text)
{
	struct buf decoded = { 0 };
	json_decode(&decoded, text);
	bool blank = !decoded.failed && text_trim(buf_span(&decoded)).n == 0;
	buf_free(&decoded);
	return blank;
}

static int add_text(struct conversation *c, struct json text)
{
	struct part p = { .type = PART_TEXT, .text = text };
	if (json_type(text) != JSON_STRING || is_blank(text))
		return 0;
	int err = arena_keep_json(&c->kept, &p.text);
	return err ? err : conversation_add_part(c, p);
}

static int add_made_text(struct conversation *c, struct span text)
{
	struct buf quoted = { 0 };
	json_quote(&quoted, text);
	int err = buf_error(&quoted);
	if (!err)
		err = add_text(c, (struct json){ .raw = buf_span(&quoted) });
	buf_free(&quoted);
	return err;
}

/* Decode a string to keep. */
static int keep_decoded(struct conversation *c, struct json v,
			struct span *text)
{
	struct buf decoded = { 0 };
	json_decode(&decoded, v);
	*text = buf_span(&decoded);
	int err = buf_error(&decoded);
	if (!err)
		err = arena_keep(&c->kept, text);
	buf_free(&decoded);
	return err;
}

/* data:image/png;base64,... */
static bool split_data_url(struct part *p)
{
	static const struct span mark = SPAN(";base64,");
	struct span url = p->data;
	if (!span_starts(url, SPAN("data:")))
		return false;
	const char *end = memmem(url.p, url.n, mark.p, mark.n);
	if (!end)
		return false;
	p->mime = (struct span){ url.p + 5, (size_t)(end - url.p) - 5 };
	p->data.p = end + mark.n;
	p->data.n = url.n - (size_t)(p->data.p - url.p);
	return true;
}

static int add_picture(struct conversation *c, const struct block *b)
{
	struct part p = { .type = PART_PICTURE };
	int err = keep_decoded(c, b->data, &p.data);
	if (!err && !split_data_url(&p))
		err = keep_decoded(c, b->mime, &p.mime);
	if (!err && span_starts(p.data, SPAN("http"))) {
		p.url = b->data;
		p.data.n = 0;
		err = arena_keep_json(&c->kept, &p.url);
	}
	return err ? err : conversation_add_part(c, p);
}

static int add_call(struct conversation *c, const struct block *b)
{
	struct part p = { .type = PART_CALL, .name = b->name };
	struct buf scratch = { 0 };
	p.arguments = block_arguments(b, &scratch);
	if (json_type(p.arguments) == JSON_ABSENT)
		p.arguments.raw = SPAN("{}");
	int err = buf_error(&scratch);
	if (!err)
		err = arena_keep_json(&c->kept, &p.arguments);
	if (!err)
		err = arena_keep_json(&c->kept, &p.name);
	if (!err)
		err = keep_decoded(c, b->id, &p.id);
	buf_free(&scratch);
	return err ? err : conversation_add_part(c, p);
}

/* Begin the turn of a result. */
static int add_result(struct conversation *c, const struct block *b,
		      int64_t time)
{
	struct turn t = { .role = TURN_RESULT,
			  .time = time,
			  .name = b->name,
			  .failed = json_truthy(b->error) };
	int err = keep_decoded(c, b->id, &t.call);
	if (!err)
		err = arena_keep_json(&c->kept, &t.name);
	return err ? err : conversation_add_turn(c, t);
}

static int add_block(struct conversation *c, const struct block *b)
{
	switch (b->type) {
	case BLOCK_TEXT:
	case BLOCK_THINKING:
		return add_text(c, b->text);
	case BLOCK_PICTURE:
		return add_picture(c, b);
	case BLOCK_CALL:
		return add_call(c, b);
	case BLOCK_RESULT: /* its blocks follow */
	case BLOCK_OTHER:
		break;
	}
	return 0;
}

/*
 * Add a content to a turn that was begun. The results in it are turns of their
 * own, and what follows them is a turn like the one before.
 */
static int add_content(struct collecting *x, struct json content,
		       struct turn begun)
{
	struct block_walk walk = block_walk(x->to.read_block, content);
	struct block b;
	struct json raw;
	bool in_result = false;
	int err = 0;
	while (!err && block_next(&walk, &b, &raw)) {
		if (b.type == BLOCK_RESULT) {
			err = add_result(x->c, &b, begun.time);
			in_result = true;
			continue;
		}
		if (in_result && !b.inner) {
			err = conversation_add_turn(x->c, begun);
			in_result = false;
		}
		if (!err)
			err = add_block(x->c, &b);
	}
	return err;
}

static int64_t time_of(const struct message *m)
{
	int64_t time = TIMESTAMP_NONE;
	if (m->when != 0)
		return m->when;
	if (json_type(m->time_json) != JSON_ABSENT)
		time = timestamp_parse(m->time_json);
	else if (m->has_time)
		time = m->time;
	else if (json_type(m->source) == JSON_OBJECT)
		time = timestamp_parse(json_get(m->source, "timestamp"));
	return time;
}

static int add_message(struct collecting *x, const struct message *m)
{
	struct turn t = { .role = m->role == MESSAGE_ASSISTANT ? TURN_ASSISTANT
							       : TURN_USER,
			  .time = time_of(m) };
	int err = m->role == MESSAGE_TOOL_RESULT
			  ? add_result(x->c, &m->result, t.time)
			  : conversation_add_turn(x->c, t);
	if (err || m->how == CONTENT_NONE)
		return err;
	return m->how == CONTENT_TEXT ? add_made_text(x->c, m->text)
				      : add_content(x, m->content, t);
}

static void take(struct messages *to, const struct message *m)
{
	struct collecting *x = (struct collecting *)to;
	if (x->err || m->note || m->role == MESSAGE_SYSTEM ||
	    m->role == MESSAGE_DEVELOPER || m->role == MESSAGE_REMINDER)
		return;
	x->err = add_message(x, m);
}

int conversation_collect(struct conversation *c, const struct session *s,
			 uint32_t entry)
{
	struct buf none = { 0 };
	struct path path;
	struct collecting x = {
		.to = { .out = &none,
			.form = MESSAGE_FORM_TAKEN,
			.json = { .out = &none },
			.read_block = s->dialect->showing->read_block,
			.take = take },
		.c = c,
		.s = s,
	};
	int err = path_load(&path, s, entry);
	if (err)
		return err;
	err = s->dialect->sending->context(s, &path, &x.to);
	path_free(&path);
	if (!err)
		err = x.err;
	return err ? err : buf_end(&none);
}
