/*
 * How oh-my-pi changes an assistant's message before it sends it again
 * (session-context.ts and messages.ts; 18.3.4). The functions append a changed
 * copy as JSON, whose other members keep their bytes.
 */
#include "core/dialects/omp/omp.h"

#include "core/json/js.h"
#include "core/json/writer.h"

static bool block_says(struct json block)
{
	JSON_FIELDS(f, block, type, text, thinking, thinkingSignature, data);
	if (json_is(f.type, SPAN("text")))
		return !js_is_blank(f.text);
	if (json_is(f.type, SPAN("thinking")))
		return !js_is_blank(f.thinking) ||
		       !js_is_blank(f.thinkingSignature);
	if (json_is(f.type, SPAN("redactedThinking")))
		return !js_is_blank(f.data);
	return !json_is(f.type, SPAN("fallback"));
}

bool omp_assistant_is_empty_error(struct json message)
{
	if (!json_is(json_get(message, "stopReason"), SPAN("error")))
		return false;
	JSON_EACH(block, json_get(message, "content")) {
		if (block_says(block))
			return false;
	}
	return true;
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

/* Write a block, thinking without its signature; `empty`: even an empty one. */
static void add_unsigned(struct copy *c, struct json block, bool empty)
{
	static const struct json_change none = { "thinkingSignature",
						 { NULL, 0 } };
	JSON_FIELDS(f, block, type, thinkingSignature);
	if (json_is(f.type, SPAN("thinking")) &&
	    (empty || json_truthy(f.thinkingSignature)))
		json_rewrite(json_begin_value(&c->w, NULL), block, &none, 1);
	else
		json_write_value(&c->w, NULL, block);
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
	struct copy c;
	begin_copy(&c);
	JSON_EACH(block, f.content)
		add_unsigned(&c, block, true);
	end_copy(&c, out, message, true);
	return true;
}

void omp_assistant_strip_calls(struct buf *out, struct json message,
			       const struct sending *x, const struct piece *p)
{
	uint32_t call = 0;
	struct copy c;
	begin_copy(&c);
	JSON_EACH(block, json_get(message, "content")) {
		struct json type = json_get(block, "type");
		if (json_is(type, SPAN("redactedThinking")) ||
		    (json_is(type, SPAN("toolCall")) &&
		     !omp_is_answered(x, p, call++)))
			continue;
		add_unsigned(&c, block, false);
	}
	end_copy(&c, out, message, false);
}

bool omp_assistant_strip_thinking(struct buf *out, struct json message)
{
	/* Where the last run of unfinished thinking begins in the blocks so
	   far, and whether blank texts follow it. */
	size_t start = SIZE_MAX;
	bool closed = false;
	struct json content = json_get(message, "content");
	struct copy c;
	size_t i = 0;
	JSON_EACH(block, content) {
		JSON_FIELDS(f, block, type, text, thinking, thinkingSignature);
		if (json_is(f.type, SPAN("text")) && js_is_blank(f.text)) {
			closed = true;
		} else if (!json_is(f.type, SPAN("thinking")) ||
			   js_is_blank(f.thinking) ||
			   json_truthy(f.thinkingSignature)) {
			start = SIZE_MAX;
			closed = false;
		} else if (start == SIZE_MAX || closed) {
			start = i;
			closed = false;
		}
		i++;
	}
	if (start == SIZE_MAX)
		return false;
	begin_copy(&c);
	i = 0;
	JSON_EACH_WHILE(i++ < start, block, content)
		json_write_value(&c.w, NULL, block);
	end_copy(&c, out, message, false);
	return true;
}
