#include "core/dialects/omp/assistant.h"

#include "core/base/text.h"
#include "core/dialects/omp/calls.h"
#include "core/json/splice.h"
#include "core/json/writer.h"

struct json_walk omp_assistant_blocks(struct json message)
{
	static const struct json none = { .raw = SPAN("[]") };
	struct json content = json_get(message, "content");
	bool array = json_type(content) == JSON_ARRAY;
	return json_walk(array ? content : none);
}

/* Is it a string with more than white space? */
static bool says(struct json v)
{
	struct buf text = { 0 };
	json_decode(&text, v);
	bool any = text.failed || text_trim(buf_span(&text)).n > 0;
	buf_free(&text);
	return any;
}

enum block_field { B_TYPE, B_TEXT, B_THINKING, B_SIGNATURE, B_DATA, B_COUNT };

static void read_block(struct json block, struct json f[B_COUNT])
{
	static const char *const names[] = {
		[B_TYPE] = "type",	   [B_TEXT] = "text",
		[B_THINKING] = "thinking", [B_SIGNATURE] = "thinkingSignature",
		[B_DATA] = "data",
	};
	json_get_all(block, B_COUNT, names, f);
}

static bool block_says(struct json block)
{
	struct json f[B_COUNT];
	read_block(block, f);
	if (json_is(f[B_TYPE], SPAN("text")))
		return says(f[B_TEXT]);
	if (json_is(f[B_TYPE], SPAN("thinking")))
		return says(f[B_THINKING]) || says(f[B_SIGNATURE]);
	if (json_is(f[B_TYPE], SPAN("redactedThinking")))
		return says(f[B_DATA]);
	return !json_is(f[B_TYPE], SPAN("fallback"));
}

bool omp_assistant_is_empty_error(struct json message)
{
	if (!json_is(json_get(message, "stopReason"), SPAN("error")))
		return false;
	struct json_walk w = omp_assistant_blocks(message);
	struct json block;
	while (json_next_element(&w, &block)) {
		if (block_says(block))
			return false;
	}
	return true;
}

/* Write a thinking block without its signature. */
static void add_unsigned(struct json_writer *w, struct json block)
{
	static const struct json_change none = { "thinkingSignature",
						 { NULL, 0 } };
	json_rewrite(json_begin_value(w, NULL), block, &none, 1);
}

/* A copy of a message with other blocks, which are being written. */
struct copy {
	struct buf blocks;
	struct json_writer w;
};

static void begin_copy(struct copy *c)
{
	*c = (struct copy){ 0 };
	c->w.out = &c->blocks;
	json_begin_array(&c->w, NULL);
}

/* Append the copy, with or without the payload, and free it. */
static void end_copy(struct copy *c, struct buf *out, struct json message,
		     bool without_payload)
{
	json_end_array(&c->w);
	const struct json_change changed[] = {
		{ "content", buf_span(&c->blocks) },
		{ "providerPayload", { NULL, 0 } },
	};
	json_rewrite(out, message, changed, without_payload ? 2 : 1);
	buf_free_into(&c->blocks, out);
}

bool omp_assistant_sanitize(struct buf *out, struct json message)
{
	JSON_FIELDS(f, message, provider, providerPayload, content);
	if (!json_is(f.provider, SPAN("github-copilot")) ||
	    !json_is(json_get(f.providerPayload, "type"),
		     SPAN("openaiResponsesHistory")) ||
	    json_type(f.content) != JSON_ARRAY)
		return false;
	struct json_walk w = json_walk(f.content);
	struct json block;
	struct copy c;
	begin_copy(&c);
	while (json_next_element(&w, &block)) {
		struct json b[B_COUNT];
		read_block(block, b);
		if (json_is(b[B_TYPE], SPAN("thinking")))
			add_unsigned(&c.w, block);
		else
			json_write_value(&c.w, NULL, block);
	}
	end_copy(&c, out, message, true);
	return true;
}

void omp_assistant_strip_calls(struct buf *out, struct json message,
			       const struct sending *x, const struct piece *p)
{
	struct json_walk w = omp_assistant_blocks(message);
	struct json block;
	uint32_t call = 0;
	struct copy c;
	begin_copy(&c);
	while (json_next_element(&w, &block)) {
		struct json f[B_COUNT];
		read_block(block, f);
		bool removed = json_is(f[B_TYPE], SPAN("redactedThinking"));
		if (json_is(f[B_TYPE], SPAN("toolCall"))) {
			removed = !omp_is_answered(x, p, call++);
		}
		if (removed)
			continue;
		if (json_is(f[B_TYPE], SPAN("thinking")) &&
		    json_truthy(f[B_SIGNATURE]))
			add_unsigned(&c.w, block);
		else
			json_write_value(&c.w, NULL, block);
	}
	end_copy(&c, out, message, false);
}

/* The last run of unfinished thinking in the blocks so far. */
struct trailing {
	bool found;
	bool closed; /* blank texts follow it */
	size_t start;
};

static void trail(struct trailing *t, struct json block, size_t place)
{
	struct json f[B_COUNT];
	read_block(block, f);
	bool text = json_is(f[B_TYPE], SPAN("text"));
	bool thinking = json_is(f[B_TYPE], SPAN("thinking"));
	if (text && !says(f[B_TEXT])) {
		t->closed = true;
	} else if (thinking && says(f[B_THINKING]) &&
		   !json_truthy(f[B_SIGNATURE])) {
		if (!t->found || t->closed)
			*t = (struct trailing){ .found = true, .start = place };
	} else {
		*t = (struct trailing){ 0 };
	}
}

bool omp_assistant_strip_thinking(struct buf *out, struct json message)
{
	struct json_walk w = omp_assistant_blocks(message);
	struct json block;
	struct trailing t = { 0 };
	struct copy c;
	for (size_t i = 0; json_next_element(&w, &block); i++)
		trail(&t, block, i);
	if (!t.found)
		return false;
	w = omp_assistant_blocks(message);
	begin_copy(&c);
	for (size_t i = 0; i < t.start && json_next_element(&w, &block); i++)
		json_write_value(&c.w, NULL, block);
	end_copy(&c, out, message, false);
	return true;
}
