#include "core/session/block.h"

/* The members that the two readers spell differently. */
struct spelling {
	struct span call;
	const char *arguments;
	struct span result;  /* empty: there are none */
	const char *picture; /* where its data is; NULL: in the block itself */
	const char *mime;
};

static struct block read_picture(const struct spelling *s, struct json v)
{
	const char *const names[] = { "data", s->mime, "type", "url" };
	struct json f[4];
	if (s->picture)
		v = json_get(v, s->picture);
	json_get_all(v, 4, names, f);
	/* The data of a picture by URL or file is not in the block. */
	if (s->picture && !json_is(f[2], SPAN("base64")))
		f[0] = (struct json){ 0 };
	struct block b = { .type = BLOCK_PICTURE, .data = f[0], .mime = f[1] };
	if (s->picture && json_is(f[2], SPAN("url")))
		b.url = f[3];
	return b;
}

static struct block read_block(const struct spelling *s, struct json v)
{
	const char *const names[] = { "type", "text",	     "thinking",
				      "name", s->arguments,  "content",
				      "id",   "tool_use_id", "is_error" };
	struct json f[9];
	json_get_all(v, 9, names, f);
	if (json_is(f[0], SPAN("text")))
		return (struct block){ .type = BLOCK_TEXT, .text = f[1] };
	if (json_is(f[0], SPAN("thinking")))
		return (struct block){ .type = BLOCK_THINKING, .text = f[2] };
	if (json_is(f[0], s->call))
		return (struct block){ .type = BLOCK_CALL,
				       .id = f[6],
				       .name = f[3],
				       .arguments = f[4] };
	if (s->result.n > 0 && json_is(f[0], s->result))
		return (struct block){ .type = BLOCK_RESULT,
				       .id = f[7],
				       .content = f[5],
				       .error = f[8] };
	if (json_is(f[0], SPAN("image")))
		return read_picture(s, v);
	return (struct block){ .type = BLOCK_OTHER };
}

struct block block_read_pi(struct json v)
{
	static const struct spelling s = { .call = SPAN("toolCall"),
					   .arguments = "arguments",
					   .mime = "mimeType" };
	return read_block(&s, v);
}

struct block block_read_api(struct json v)
{
	static const struct spelling s = { .call = SPAN("tool_use"),
					   .arguments = "input",
					   .result = SPAN("tool_result"),
					   .picture = "source",
					   .mime = "media_type" };
	return read_block(&s, v);
}

struct json block_arguments(const struct block *b, struct buf *scratch)
{
	struct json v;
	if (!b->quoted || !json_is_string(b->arguments))
		return b->arguments;
	json_decode(scratch, b->arguments);
	if (scratch->failed || json_check(buf_span(scratch), &v) < 0)
		return b->arguments;
	return v;
}

bool block_is_content(struct json v)
{
	return json_is_string(v) || json_type(v) == JSON_ARRAY;
}

static void begin_text(struct json_writer *w)
{
	json_begin_object(w, NULL);
	json_write_word(w, "type", "text");
}

void block_write_text(struct json_writer *w, struct span text)
{
	begin_text(w);
	json_write_string(w, "text", text);
	json_end_object(w);
}

void block_write_text_value(struct json_writer *w, struct json text)
{
	begin_text(w);
	json_write_value(w, "text", text);
	json_end_object(w);
}

struct block_walk block_walk(block_reader *read, struct json content)
{
	struct block_walk w = { .read = read };
	if (json_is_string(content))
		w.whole = content;
	else if (json_type(content) == JSON_OBJECT)
		w.one = content;
	else if (json_type(content) == JSON_ARRAY)
		w.outer = json_walk(content);
	return w;
}

bool block_next(struct block_walk *w, struct block *b)
{
	struct json json;
	if (json_type(w->whole) != JSON_ABSENT) {
		*b = (struct block){ .type = BLOCK_TEXT,
				     .json = w->whole,
				     .text = w->whole,
				     .inner = w->whole_inner };
		w->whole = (struct json){ 0 };
		return true;
	}
	bool inner = json_next_element(&w->inner, &json);
	if (!inner && json_type(w->more) == JSON_ARRAY) {
		w->inner = json_walk(w->more);
		w->more = (struct json){ 0 };
		inner = json_next_element(&w->inner, &json);
	}
	if (!inner && json_type(w->one) != JSON_ABSENT) {
		json = w->one;
		w->one = (struct json){ 0 };
	} else if (!inner && !json_next_element(&w->outer, &json)) {
		return false;
	}
	w->whole_inner = true;
	*b = w->read(json);
	b->json = json;
	b->inner = inner;
	if (b->type != BLOCK_RESULT)
		return true;
	enum json_type type = json_type(b->content);
	if (inner || (type != JSON_STRING && type != JSON_ARRAY))
		*b = (struct block){ .type = BLOCK_OTHER,
				     .json = json,
				     .inner = inner };
	else
		w->more = b->more;
	if (b->type == BLOCK_OTHER)
		return true;
	if (type == JSON_STRING)
		w->whole = b->content;
	else
		w->inner = json_walk(b->content);
	return true;
}

struct json block_first_text(block_reader *read, struct json content)
{
	BLOCK_EACH(b, read, content)
		return b.type == BLOCK_TEXT ? b.text : (struct json){ 0 };
	return (struct json){ 0 };
}

struct json block_only_text(block_reader *read, struct json content)
{
	struct json text = { 0 };
	unsigned n = 0;
	BLOCK_EACH(b, read, content) {
		if (n++ > 0 || b.type != BLOCK_TEXT)
			return (struct json){ 0 };
		text = b.text;
	}
	return text;
}
