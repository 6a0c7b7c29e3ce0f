#include "core/dialects/codex/show.h"

#include "core/dialects/codex/fragment.h"
#include "core/dialects/codex/item.h"
#include "core/dialects/codex/line.h"
#include "core/json/js.h"
#include "core/show/meta.h"
#include "core/show/usage.h"

const char *const codex_envelope[] = { "timestamp", "ordinal", "type",
				       "metadata", NULL };

static struct json payload_of(struct json entry)
{
	return json_get(entry, "payload");
}

/* The type of an item or an event, else that of the line. */
struct json codex_type(struct json entry)
{
	JSON_FIELDS(f, entry, type, payload);
	struct json own = json_get(f.payload, "type");
	return json_type(own) == JSON_STRING ? own : f.type;
}

/* The item of an entry, and what it says it is; CODEX_NO_ITEM: another line. */
static enum codex_item_type item_of(struct json entry, struct json *item)
{
	struct json type = json_get(entry, "type");
	*item = payload_of(entry);
	return json_is(type, SPAN("response_item")) ? codex_item_type(*item)
						    : CODEX_NO_ITEM;
}

static bool is_call(enum codex_item_type type)
{
	return type == CODEX_SHELL_CALL || type == CODEX_FUNCTION_CALL ||
	       type == CODEX_SEARCH_CALL || type == CODEX_CUSTOM_CALL ||
	       type == CODEX_WEB_SEARCH || type == CODEX_IMAGE;
}

static bool is_output(enum codex_item_type type)
{
	return type == CODEX_FUNCTION_OUTPUT || type == CODEX_CUSTOM_OUTPUT ||
	       type == CODEX_SEARCH_OUTPUT;
}

static bool is_between_agents(struct json entry)
{
	return json_is(json_get(entry, "type"),
		       SPAN("inter_agent_communication"));
}

void codex_role_or_type(struct buf *out, struct json entry)
{
	struct json item;
	enum codex_item_type type = item_of(entry, &item);
	struct json line = json_get(entry, "type");
	if (type == CODEX_MESSAGE)
		meta_add_kind(out, json_get(item, "role"), codex_type(entry));
	else if (is_call(type) || type == CODEX_REASONING)
		buf_adds(out, "assistant");
	else if (is_output(type))
		buf_adds(out, "toolResult");
	else if (type == CODEX_AGENT_MESSAGE || is_between_agents(entry))
		buf_adds(out, "agent");
	else if (json_is(line, SPAN("compacted")) || type == CODEX_COMPACTION ||
		 type == CODEX_CONTEXT_COMPACTION)
		buf_adds(out, "compaction");
	else
		meta_add_value(out, codex_type(entry));
}

bool codex_is_typed(struct json entry)
{
	struct json item;
	return item_of(entry, &item) == CODEX_MESSAGE &&
	       codex_begins_turn(item);
}

/* The media type of a picture's URL, as JSON; absent for others. */
static struct json mime_of(struct json url)
{
	static const struct {
		struct span start;
		struct span mime;
	} known[] = {
		{ SPAN("\"data:image/png;"), SPAN("\"image/png\"") },
		{ SPAN("\"data:image/jpeg;"), SPAN("\"image/jpeg\"") },
		{ SPAN("\"data:image/gif;"), SPAN("\"image/gif\"") },
		{ SPAN("\"data:image/webp;"), SPAN("\"image/webp\"") },
	};
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (span_starts(url.raw, known[i].start))
			return (struct json){ .raw = known[i].mime };
	}
	return (struct json){ 0 };
}

/* A picture in a data URL has its data in the block. */
static struct block read_picture(struct json v)
{
	struct json url = json_get(v, "image_url");
	if (!span_starts(url.raw, SPAN("\"data:")))
		url = (struct json){ 0 };
	return (struct block){ .type = BLOCK_PICTURE,
			       .data = url,
			       .mime = mime_of(url) };
}

/* The names of calls that have none. */
static struct json name_of(struct json type)
{
	static const struct row {
		struct span type;
		struct span name;
	} names[] = {
		{ SPAN("local_shell_call"), SPAN("\"shell\"") },
		{ SPAN("tool_search_call"), SPAN("\"tool_search\"") },
		{ SPAN("web_search_call"), SPAN("\"web_search\"") },
	};
	const struct row *row = JSON_ROW(type, names);
	struct json name = { 0 };
	if (row)
		name.raw = row->name;
	return name;
}

static struct block read_call(struct json v, struct json type)
{
	JSON_FIELDS(f, v, call_id, name, arguments, input, action);
	struct block b = { .type = BLOCK_CALL,
			   .id = f.call_id,
			   .name = name_of(type),
			   .arguments = f.action,
			   .quoted = true };
	if (json_type(b.name) == JSON_ABSENT)
		b.name = f.name;
	if (json_is(type, SPAN("custom_tool_call")))
		b.arguments = f.input;
	else if (!json_is(type, SPAN("local_shell_call")) &&
		 !json_is(type, SPAN("web_search_call")))
		b.arguments = f.arguments;
	return b;
}

static struct block read_generated(struct json v)
{
	static const struct span png = SPAN("\"image/png\"");
	return (struct block){ .type = BLOCK_PICTURE,
			       .data = json_get(v, "result"),
			       .mime = { .raw = png } };
}

struct block codex_read_block(struct json v)
{
	JSON_FIELDS(f, v, type, text);
	if (JSON_IS(f.type, "input_text", "output_text", "text"))
		return (struct block){ .type = BLOCK_TEXT, .text = f.text };
	if (JSON_IS(f.type, "summary_text", "reasoning_text"))
		return (struct block){ .type = BLOCK_THINKING, .text = f.text };
	if (json_is(f.type, SPAN("input_image")))
		return read_picture(v);
	if (json_is(f.type, SPAN("image_generation_call")))
		return read_generated(v);
	if (JSON_IS(f.type, "function_call", "custom_tool_call",
		    "local_shell_call", "tool_search_call", "web_search_call"))
		return read_call(v, f.type);
	return (struct block){ .type = BLOCK_OTHER };
}

/* The summary of reasoning, or the reasoning itself where there is none. */
static struct json thoughts_of(struct json item)
{
	struct json summary = json_get(item, "summary");
	return json_has_members(summary) ? summary : json_get(item, "content");
}

struct json codex_blocks(struct json entry)
{
	struct json item;
	enum codex_item_type type = item_of(entry, &item);
	struct json v = { 0 };
	if (type == CODEX_MESSAGE || type == CODEX_AGENT_MESSAGE ||
	    is_between_agents(entry))
		v = json_get(item, "content");
	else if (type == CODEX_REASONING)
		v = thoughts_of(item);
	else if (type == CODEX_FUNCTION_OUTPUT || type == CODEX_CUSTOM_OUTPUT)
		v = json_get(item, "output");
	else if (is_call(type))
		return item;
	else if (type == CODEX_NO_ITEM)
		v = json_get(item, "message");
	return block_is_content(v) ? v : (struct json){ 0 };
}

struct block codex_result(struct json entry)
{
	struct json item;
	enum codex_item_type type = item_of(entry, &item);
	if (!is_output(type))
		return (struct block){ .type = BLOCK_OTHER };
	return (struct block){ .type = BLOCK_RESULT,
			       .id = json_get(item, "call_id"),
			       .name = json_get(item, "name"),
			       .content = json_get(item, "output") };
}

void codex_preview(struct buf *out, struct json entry)
{
	meta_add_at(out, entry,
		    "payload.model|payload.reason|payload.num_turns");
	if (out->len == 0)
		meta_add_value(out, codex_type(entry));
}

/*
 * What a response has used. Paginated threads have a line for it; in legacy
 * ones it is in an event, which paginated ones have as well.
 */
void codex_usage(struct json line, struct used *used)
{
	struct json usage = { 0 };
	JSON_FIELDS(f, line, type, ordinal, payload);
	if (json_is(f.type, SPAN("token_usage_record")))
		usage = json_get(f.payload, "usage");
	else if (js_is_nullish(f.ordinal) &&
		 json_is(json_get(f.payload, "type"), SPAN("token_count")))
		usage = json_at(f.payload, SPAN("info.last_token_usage"));
	usage_add(&used->usage.tokens, json_get(usage, "total_tokens"));
}

/* Of the newest turn_context at or above an entry. */
int codex_settings(const struct session *s, uint32_t leaf, struct buf *model,
		   struct buf *thinking)
{
	struct buf line = { 0 };
	struct json json;
	uint32_t at = leaf;
	while (at != INDEX_NONE && session_entry(s, at)->type != ENTRY_MODEL)
		at = session_entry(s, at)->parent;
	int err = at == INDEX_NONE ? 0 : session_read(s, at, &line, &json);
	if (at != INDEX_NONE && !err) {
		json_decode(model, json_get(payload_of(json), "model"));
		json_decode(thinking, json_get(payload_of(json), "effort"));
	}
	buf_free(&line);
	return err;
}

/* Rows of `meta`. */

static void meta_tool(struct buf *out, struct json entry)
{
	struct json item;
	if (!is_call(item_of(entry, &item)))
		return;
	struct block b = codex_read_block(item);
	if (b.type == BLOCK_CALL)
		meta_add_value(out, b.name);
}

static void meta_skipped(struct buf *out, struct json entry)
{
	struct codex_line l;
	if (codex_line_read(entry, &l) && !codex_line_decodes(entry, &l))
		buf_adds(out, "Codex 0.169.0 does not know all of it");
}

const struct meta_row codex_meta[] = {
	{ "role", .at = "payload.role" },
	{ "model", .at = "payload.model" },
	{ "tool", .add = meta_tool },
	{ "call", .at = "payload.call_id" },
	{ "phase", .at = "payload.phase" },
	{ "ordinal", .at = "ordinal" },
	{ "rolled-back", .at = "payload.num_turns" },
	{ "skipped", .add = meta_skipped },
	{ 0 },
};
