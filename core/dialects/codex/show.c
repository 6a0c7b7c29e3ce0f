/*
 * What a Codex rollout's entries show: the content of a message is its parts,
 * that of a call the call, and that of an output what the tool has said.
 */
#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/dialects/codex/codex.h"
#include "core/json/js.h"
#include "core/show/meta.h"
#include "core/show/usage.h"

static const char *const envelope[] = { "timestamp", "ordinal", "type",
					"metadata", NULL };

#define ITEM "response_item"
#define ITEM_ROW(kind_, ...)                                         \
	{                                                            \
		.type = ITEM, .kind = kind_, .entry = ENTRY_MESSAGE, \
		__VA_ARGS__                                          \
	}
#define CALL_ROW(kind_) \
	ITEM_ROW(kind_, .role = "=assistant", .block = "payload")
#define OUTPUT_ROW(kind_) \
	ITEM_ROW(kind_, .role = "=toolResult", .content = "payload.output")

static const struct line_row rows[] = {
	ITEM_ROW("message", .role = "payload.role",
		 .content = "payload.content"),
	ITEM_ROW("reasoning", .role = "=assistant",
		 .content = "payload.summary|payload.content"),
	CALL_ROW("function_call"),
	CALL_ROW("custom_tool_call"),
	CALL_ROW("local_shell_call"),
	CALL_ROW("tool_search_call"),
	CALL_ROW("web_search_call"),
	CALL_ROW("image_generation_call"),
	OUTPUT_ROW("function_call_output"),
	OUTPUT_ROW("custom_tool_call_output"),
	ITEM_ROW("tool_search_output", .role = "=toolResult"),
	ITEM_ROW("agent_message", .role = "=agent",
		 .content = "payload.content"),
	ITEM_ROW("compaction", .role = "=compaction"),
	ITEM_ROW("compaction_summary", .role = "=compaction"),
	ITEM_ROW("context_compaction", .role = "=compaction"),
	ITEM_ROW(NULL, .role = NULL),
	{ .type = "inter_agent_communication",
	  .entry = ENTRY_MESSAGE,
	  .role = "=agent",
	  .content = "payload.content" },
	{ .type = "compacted",
	  .entry = ENTRY_COMPACTION,
	  .role = "=compaction",
	  .content = "payload.message" },
	{ .type = "turn_context", .entry = ENTRY_MODEL },
	{ .type = "event_msg",
	  .kind = "thread_rolled_back",
	  .entry = ENTRY_HEAD },
	/* Notices: errors, and turns that were aborted. */
	{ .entry = ENTRY_OTHER, .content = "payload.message" },
};

static const struct line_rows shown = {
	.type = "type",
	.kind = "payload.type",
	.shown_type = "payload.type|type",
	.preview = "payload.model|payload.reason|payload.num_turns|"
		   "payload.type|type",
	.list = rows,
};

/* The item of an entry; absent for other lines. */
static struct json item_of(struct json entry)
{
	JSON_FIELDS(f, entry, type, payload);
	return json_is(f.type, SPAN(ITEM)) ? f.payload : (struct json){ 0 };
}

static bool is_typed(struct json entry)
{
	struct json item = item_of(entry);
	return codex_item_type(item) == CODEX_MESSAGE &&
	       codex_begins_turn(item);
}

/*
 * Without what an editor or a program has said before a person's request.
 * Codex's lists begin after this line, too.
 */
static enum typed typed(struct buf *out, struct span text)
{
	static const struct span mark = SPAN("## My request for Codex:");
	const char *end = text.p + text.n;
	const char *at = text.p;
	while ((at = memmem(at, (size_t)(end - at), mark.p, mark.n)) &&
	       at > text.p && at[-1] != '\n')
		at += mark.n;
	struct span own = text;
	if (at) {
		own.p = at + mark.n;
		own.n = (size_t)(end - own.p);
	}
	bool typed = text_trim(own).n > 0;
	buf_add(out, typed ? own : text);
	return typed ? TYPED_WORDS : TYPED_NOTHING;
}

/* The settings of a turn have instructions as well. */
static bool is_said(struct json entry)
{
	struct json item = item_of(entry);
	struct json role = json_get(item, "role");
	if (json_is(json_get(entry, "type"), SPAN("turn_context")) ||
	    JSON_IS(role, "developer", "system"))
		return false;
	return !json_is(role, SPAN("user")) || codex_is_users_own(item);
}

/* A picture in a data URL has its data in the block. */
static struct block read_picture(struct json v)
{
	struct json url = json_get(v, "image_url");
	struct block b = { .type = BLOCK_PICTURE };
	if (codex_read_data_url(url, &b.mime))
		b.data = url;
	else
		b.url = url;
	return b;
}

/* Calls: the name of those that have none, and where the arguments are. */
static const struct call_row {
	struct span type;
	struct span name;
	const char *arguments;
} calls[] = {
	{ SPAN("function_call"), SPAN(""), "arguments" },
	{ SPAN("custom_tool_call"), SPAN(""), "input" },
	{ SPAN("local_shell_call"), SPAN("\"shell\""), "action" },
	{ SPAN("tool_search_call"), SPAN("\"tool_search\""), "arguments" },
	{ SPAN("web_search_call"), SPAN("\"web_search\""), "action" },
};

static struct block read_call(struct json v, const struct call_row *row)
{
	struct block b = { .type = BLOCK_CALL,
			   .id = json_get(v, "call_id"),
			   .name = { .raw = row->name },
			   .arguments = json_get(v, row->arguments),
			   .quoted = true };
	if (row->name.n == 0)
		b.name = json_get(v, "name");
	return b;
}

/* The names of calls that have none are in their types. */
static const struct added_words adding[] = {
	{ .words = "png", .marker = "image_generation_call" },
	{ 0 },
};

const struct dialect_adding codex_adding = {
	.rows = adding,
	.other_files = "history_base",
};

static struct block read_block(struct json v)
{
	JSON_FIELDS(f, v, type, text);
	if (JSON_IS(f.type, "input_text", "output_text", "text"))
		return (struct block){ .type = BLOCK_TEXT, .text = f.text };
	if (JSON_IS(f.type, "summary_text", "reasoning_text"))
		return (struct block){ .type = BLOCK_THINKING, .text = f.text };
	if (json_is(f.type, SPAN("input_image")))
		return read_picture(v);
	if (json_is(f.type, SPAN("image_generation_call")))
		return (struct block){ .type = BLOCK_PICTURE,
				       .data = json_get(v, "result"),
				       .mime.raw = SPAN("\"image/png\"") };
	const struct call_row *call = JSON_ROW(f.type, calls);
	if (call)
		return read_call(v, call);
	return (struct block){ .type = BLOCK_OTHER };
}

/* -- outputs */

/*
 * What Codex writes before the output of a command in the text of a result
 * (0.171.0: core/src/tools/context.rs), a line each:
 *
 *     Chunk ID: 3f2a91          of a process that may go on, or
 *     Exit code: 1              of one that has ended
 *     Wall time: 0.0512 seconds
 *     Process exited with code 1
 *     Original token count: 12
 *     Output:
 */
static const struct {
	struct span start;
	bool code; /* the rest is an exit code */
} heading_lines[] = {
	{ SPAN("Chunk ID: "), false },
	{ SPAN("Exit code: "), true },
	{ SPAN("Wall time: "), false },
	{ SPAN("Process exited with code "), true },
	{ SPAN("Process running with session ID "), false },
	{ SPAN("Original token count: "), false },
	{ SPAN("Total output lines: "), false },
	{ SPAN("Script completed"), false },
	{ SPAN("Script failed"), false },
	{ SPAN("Script running with cell ID "), false },
	{ SPAN("Wall time "), false },
};

static size_t heading(struct span text, bool *failed)
{
	struct span rest = text;
	bool bad = false;
	bool any = false;
	while (rest.n > 0) {
		struct span line = span_next_line(&rest);
		size_t i = 0;
		if (any && span_eq(line, SPAN("Output:"))) {
			if (failed)
				*failed = bad;
			return text.n - rest.n;
		}
		while (i < sizeof(heading_lines) / sizeof(heading_lines[0]) &&
		       !span_starts(line, heading_lines[i].start))
			i++;
		if (i == sizeof(heading_lines) / sizeof(heading_lines[0]))
			break;
		line = span_from(line, heading_lines[i].start.n);
		bad = bad ||
		      (heading_lines[i].code && !span_eq(line, SPAN("0")));
		any = true;
	}
	return 0;
}

static const struct span refusals[] = {
	SPAN("unsupported call: "),
	SPAN("unsupported custom tool call: "),
	SPAN("failed to parse function arguments: "),
	SPAN("apply_patch verification failed: "),
	SPAN("patch rejected"),
	SPAN("exec_command failed: "),
	SPAN("exec command rejected"),
	SPAN("unable to locate image at "),
	SPAN("unable to read image at "),
	SPAN("unable to process image"),
};

/*
 * Does the text of a result say that the call has failed? Those of calls that
 * were refused have no such lines but the agent's own words, and those of older
 * versions are objects: {"output": …, "metadata": {"exit_code": 1}}.
 */
static bool says_failed(struct span text)
{
	bool failed = false;
	struct json v;
	if (heading(text, &failed) > 0)
		return failed;
	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
		if (span_starts(text, refusals[i]))
			return true;
	}
	if (!span_starts(text, SPAN("{")) || json_check(text, &v) != 0)
		return false;
	struct json code = json_at(v, SPAN("metadata.exit_code"));
	return json_type(code) == JSON_NUMBER && json_truthy(code);
}

struct block codex_item_result(struct json item)
{
	JSON_FIELDS(f, item, type, call_id, name, output);
	struct block b = { .type = BLOCK_RESULT,
			   .id = f.call_id,
			   .name = f.name,
			   .content = f.output };
	struct buf text BUF_SCOPED = { 0 };
	if (!JSON_IS(f.type, "function_call_output", "custom_tool_call_output",
		     "tool_search_output"))
		return (struct block){ .type = BLOCK_OTHER };
	if (block_is_content(f.output))
		json_decode(&text, block_first_text(read_block, f.output));
	if (says_failed(buf_span(&text)))
		b.error.raw = SPAN("true");
	return b;
}

static struct block result(struct json entry)
{
	return codex_item_result(item_of(entry));
}

/*
 * What a response has used. Paginated threads have a line for it; in legacy
 * ones it is in an event, which paginated ones have as well. The agent repeats
 * the event, also when only its limits are new: with the same total it is of
 * the same response.
 */
static void usage(struct json line, struct used *used)
{
	struct json usage = { 0 };
	JSON_FIELDS(f, line, type, ordinal, payload);
	JSON_FIELDS(event, f.payload, type, info);
	if (json_is(f.type, SPAN("token_usage_record"))) {
		usage = json_get(f.payload, "usage");
		used->copied = hash_bytes(0, line.raw);
	} else if (js_is_nullish(f.ordinal) &&
		   json_is(event.type, SPAN("token_count"))) {
		struct json total = json_get(event.info, "total_token_usage");
		usage = json_get(event.info, "last_token_usage");
		if (json_type(total) == JSON_OBJECT)
			used->response = hash_bytes(0, total.raw);
	}
	usage_add(&used->usage.tokens, json_get(usage, "total_tokens"));
}

/* -- rows of `meta` */

static void meta_tool(struct buf *out, struct json entry)
{
	struct block b = read_block(item_of(entry));
	if (b.type == BLOCK_CALL)
		meta_add_value(out, b.name);
}

static void meta_skipped(struct buf *out, struct json entry)
{
	struct codex_line l;
	if (codex_line_read(entry, &l) && !codex_line_decodes(entry, &l))
		buf_adds(out,
			 "Codex " CODEX_VERSION " does not know all of it");
}

static const struct meta_row meta[] = {
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

const struct dialect_showing codex_showing = {
	.rows = &shown,
	.envelope = envelope,
	.is_typed = is_typed,
	.typed = typed,
	.is_said = is_said,
	.read_block = read_block,
	.picture = codex_picture,
	.result = result,
	.heading = heading,
	.meta = meta,
	.usage = usage,
};

const struct dialect_telling codex_telling = {
	.model = { { ENTRY_BIT(ENTRY_MODEL), .at = "payload.model" } },
	.thinking = { ENTRY_BIT(ENTRY_MODEL), .at = "payload.effort" },
};
