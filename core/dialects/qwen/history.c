/*
 * What Qwen Code (0.24.4) goes on from: the messages of the records on a path,
 * as contents of parts, before they are posted (context.c). In order:
 *
 *   1. Each record with a message is a content; further parts of a record (see
 *      qwen_is_more()) are at its end. Realtime messages are none.
 *   2. A compression replaces all contents before it by its own.
 *   3. The result of a command whose outputs are all the assistant's takes the
 *      line that it was typed in out again.
 *   4. A turn of the model is its contents in a row, up to one with calls
 *      unless results follow at once. If one of them has no parts, or an empty
 *      text, the turn is dropped.
 *
 * If a record on the path is of another role than user and model, the agent
 * does not load the session: there is no history.
 */
#include "core/dialects/qwen/qwen.h"

#include <errno.h>

#include "core/base/array.h"
#include "core/base/text.h"

/* What a gateway answers in the place of a model. */
#define STAND_IN "(request timeout)"

static int add_part(struct qwen_history *h, enum qwen_kind kind,
		    struct json part, struct json id)
{
	struct sending *x = h->parts;
	struct piece p = { .kind = kind, .from = x->json.len };
	buf_add(&x->json, part.raw);
	int err = sending_add(x, p);
	if (!err && json_has_text(id))
		err = sending_add_call(x, id);
	return err;
}

static int add_medium(struct qwen_history *h, struct json part,
		      struct json inline_data, struct json file_data)
{
	JSON_FIELDS(f, inline_data, mimeType, data);
	JSON_FIELDS(g, file_data, mimeType, fileUri);
	bool has = (json_truthy(f.mimeType) && json_truthy(f.data)) ||
		   (json_truthy(g.mimeType) && json_truthy(g.fileUri));
	return has ? add_part(h, QWEN_MEDIUM, part, (struct json){ 0 }) : 0;
}

/* What a part counts for, which may be more than one thing. */
static int read_part(struct qwen_history *h, struct qwen_content *c,
		     struct json part)
{
	static const struct json none = { 0 };
	JSON_FIELDS(f, part, text, thought, thoughtSignature, functionCall,
		    functionResponse, inlineData, fileData);
	bool thought = json_truthy(f.thought);
	bool says = json_has_text(f.text);
	int err = 0;
	c->has_parts = true;
	if (!json_has_members(part) ||
	    (json_is(f.text, SPAN("")) && !thought &&
	     !json_truthy(f.thoughtSignature) &&
	     json_type(f.functionCall) == JSON_ABSENT))
		c->invalid = true;
	if (says && (c->model || !thought))
		err = add_part(h, thought ? QWEN_THOUGHT : QWEN_TEXT, part,
			       none);
	if (!err && !c->model)
		err = add_medium(h, part, f.inlineData, f.fileData);
	if (!err && c->model && json_type(f.functionCall) == JSON_OBJECT) {
		struct json id = json_get(f.functionCall, "id");
		c->calls = c->calls || json_truthy(id);
		err = add_part(h, QWEN_CALL, part, id);
	}
	if (!err && !c->model && json_type(f.functionResponse) == JSON_OBJECT)
		err = add_part(h, QWEN_RESULT, part,
			       json_get(f.functionResponse, "id"));
	return err;
}

static int read_parts(struct qwen_history *h, struct qwen_content *c,
		      struct json message)
{
	int err = 0;
	JSON_EACH_WHILE(!err, part, qwen_parts(message))
		err = read_part(h, c, part);
	return err;
}

/* Does nothing but its texts say that no answer came? */
static bool stands_in(const struct qwen_history *h,
		      const struct qwen_content *c)
{
	struct buf text BUF_SCOPED = { 0 };
	bool may = c->model;
	for (uint32_t i = c->first; i < h->parts->n && may; i++) {
		may = h->parts->list[i].kind != QWEN_CALL;
		if (h->parts->list[i].kind == QWEN_TEXT)
			json_decode(&text,
				    json_get(qwen_part_json(h, i), "text"));
	}
	return may && span_eq(text_trim(buf_span(&text)), SPAN(STAND_IN));
}

static int add_content(struct qwen_history *h, uint32_t entry,
		       struct json message, bool with_more)
{
	struct json role = json_get(message, "role");
	struct qwen_content c = { .model = json_is(role, SPAN("model")),
				  .entry = entry,
				  .first = h->parts->n };
	struct buf line BUF_SCOPED = { 0 };
	struct json more;
	uint32_t i = INDEX_NONE;
	h->fails = h->fails || (!c.model && !json_is(role, SPAN("user")));
	int err = read_parts(h, &c, message);
	/* The further parts of a record are children of it. */
	while (!err && with_more &&
	       (i = qwen_next_more(h->parts->s, entry, i)) != INDEX_NONE) {
		err = session_read(h->parts->s, i, &line, &more);
		if (!err)
			err = read_parts(h, &c, json_get(more, "message"));
	}
	if (err || array_reserve(&h->contents, &h->cap, h->n, 2) < 0)
		return err ? err : -ENOMEM;
	c.invalid = c.invalid || !c.has_parts;
	c.stands_in = stands_in(h, &c);
	h->contents[h->n++] = c;
	return 0;
}

static int compress(struct qwen_history *h, uint32_t entry, struct json list)
{
	int err = 0;
	if (!json_truthy(list))
		return 0;
	h->n = 0;
	sending_clear(h->parts);
	h->fails = json_type(list) != JSON_ARRAY;
	h->typed = false;
	JSON_EACH_WHILE(!h->fails && !err, content, list)
		err = add_content(h, entry, content, false);
	return err;
}

/* If the last content is nothing but the text of the command. */
static void take_out_command(struct qwen_history *h, struct json payload)
{
	JSON_FIELDS(f, payload, phase, rawCommand, outputHistoryItems,
		    sentToModel);
	bool is = h->typed && json_is(f.phase, SPAN("result")) &&
		  json_type(f.sentToModel) != JSON_TRUE &&
		  json_has_elements(f.outputHistoryItems);
	JSON_EACH_WHILE(is, item, f.outputHistoryItems)
		is = json_is(json_get(item, "type"), SPAN("assistant"));
	struct buf text BUF_SCOPED = { 0 };
	json_decode(&text, f.rawCommand);
	uint32_t first = is ? h->contents[h->n - 1].first : 0;
	if (is && json_is_string(f.rawCommand) && h->parts->n == first + 1 &&
	    json_is(json_get(qwen_part_json(h, first), "text"),
		    buf_span(&text))) {
		h->n--;
		h->parts->n = first;
	}
	h->typed = false;
}

static int read_record(struct qwen_history *h, uint32_t entry, struct json line)
{
	JSON_FIELDS(f, line, type, subtype, message, systemPayload);
	if (json_is(f.type, SPAN("system"))) {
		if (json_is(f.subtype, SPAN("slash_command")))
			take_out_command(h, f.systemPayload);
		return json_is(f.subtype, SPAN("chat_compression"))
			       ? compress(h, entry,
					  json_get(f.systemPayload,
						   "compressedHistory"))
			       : 0;
	}
	if (json_type(f.message) != JSON_OBJECT ||
	    json_is(f.subtype, SPAN("realtime_message")))
		return 0;
	h->typed = json_is(f.type, SPAN("user")) &&
		   json_type(f.subtype) == JSON_ABSENT;
	return add_content(h, entry, f.message, true);
}

uint32_t qwen_turn_end(const struct qwen_history *h, uint32_t from)
{
	const struct qwen_content *c = h->contents;
	bool calls = false;
	while (from < h->n && c[from].model && (!calls || c[from].stands_in))
		calls = calls || c[from++].calls;
	return from;
}

static void drop_invalid_turns(struct qwen_history *h)
{
	struct qwen_content *c = h->contents;
	uint32_t end;
	for (uint32_t from = 0; from < h->n; from = end + (end == from)) {
		bool invalid = false;
		end = qwen_turn_end(h, from);
		for (uint32_t i = from; i < end; i++)
			invalid = invalid || c[i].invalid;
		for (uint32_t i = from; i < end; i++)
			c[i].dropped = invalid || c[i].stands_in;
	}
}

int qwen_load_history(struct sending *x)
{
	struct qwen_history *h = x->own;
	struct buf line BUF_SCOPED = { 0 };
	struct json json;
	int err = 0;
	h->parts = x;
	for (uint32_t i = 0; i < x->path->n && !err; i++) {
		uint32_t entry = x->path->list[i];
		if (qwen_is_more(x->s, entry))
			continue;
		err = session_read(x->s, entry, &line, &json);
		if (!err)
			err = read_record(h, entry, json);
	}
	if (!err && array_reserve(&h->contents, &h->cap, h->n, 1) < 0)
		err = -ENOMEM;
	if (err)
		return err;
	if (h->fails)
		h->n = 0;
	h->contents[h->n] = (struct qwen_content){ .first = x->n };
	drop_invalid_turns(h);
	return 0;
}
