/* The kind, content and `meta` of entries in Qwen Code's sessions. */
#include "core/base/hash.h"
#include "core/dialects/qwen/qwen.h"
#include "core/show/meta.h"
#include "core/show/usage.h"

static const char *const envelope[] = { "uuid",	     "parentUuid", "sessionId",
					"timestamp", "type",	   "provenance",
					"cwd",	     "version",	   "gitBranch",
					"subtype",   "forkedFrom", NULL };

#define SILENT(subtype) \
	((struct line_row){ "system", subtype, ENTRY_SILENT, .content = NULL })

static const struct line_row lines[] = {
	{ "user", NULL, ENTRY_MESSAGE, .content = "message.parts" },
	{ "assistant", NULL, ENTRY_MESSAGE, .content = "message.parts" },
	{ "tool_result", NULL, ENTRY_MESSAGE, .content = "message.parts" },
	{ "system", "chat_compression", ENTRY_COMPACTION, .content = NULL },
	{ "system", "custom_title", ENTRY_NAME, .content = NULL },
	{ "system", "rewind", ENTRY_HEAD, .content = NULL },
	SILENT("ui_telemetry"),
	SILENT("attribution_snapshot"),
	SILENT("file_history_snapshot"),
	SILENT("branch_checkpoint"),
	SILENT("session_model"),
	SILENT("session_source"),
	SILENT("parent_session"),
	{ NULL, NULL, ENTRY_OTHER, .content = "message.parts" },
};

static const struct line_rows rows = {
	.type = "type",
	.kind = "subtype",
	.preview = "systemPayload.rawCommand|systemPayload.customTitle|subtype",
	.list = lines,
};

static struct block read_block(struct json v)
{
	JSON_FIELDS(f, v, text, thought, functionCall, functionResponse,
		    inlineData, fileData);
	JSON_FIELDS(call, f.functionCall, id, name, args);
	JSON_FIELDS(result, f.functionResponse, id, name, response, parts);
	JSON_FIELDS(said, result.response, output, error);
	if (json_type(f.functionCall) == JSON_OBJECT)
		return (struct block){ .type = BLOCK_CALL,
				       .id = call.id,
				       .name = call.name,
				       .arguments = call.args };
	if (json_type(f.functionResponse) == JSON_OBJECT)
		return (struct block){
			.type = BLOCK_RESULT,
			.id = result.id,
			.name = result.name,
			.content = json_is_string(said.output) ? said.output
				   : json_is_string(said.error)
					   ? said.error
					   : result.response,
			.more = result.parts,
			.error = said.error,
		};
	if (json_type(f.inlineData) == JSON_OBJECT)
		return (struct block){ .type = BLOCK_PICTURE,
				       .data = json_get(f.inlineData, "data"),
				       .mime = json_get(f.inlineData,
							"mimeType") };
	if (json_type(f.fileData) == JSON_OBJECT)
		return (struct block){ .type = BLOCK_PICTURE,
				       .url = json_get(f.fileData, "fileUri"),
				       .mime = json_get(f.fileData,
							"mimeType") };
	if (!json_is_string(f.text))
		return (struct block){ .type = BLOCK_OTHER };
	return (struct block){ .type = json_truthy(f.thought) ? BLOCK_THINKING
							      : BLOCK_TEXT,
			       .text = f.text };
}

static void role_or_type(struct buf *out, struct json entry)
{
	JSON_FIELDS(f, entry, type, subtype);
	if (json_is(f.subtype, SPAN("chat_compression")))
		buf_adds(out, "compaction");
	else if (json_is(f.type, SPAN("tool_result")))
		buf_adds(out, "toolResult");
	else
		meta_add_kind(out,
			      json_is(f.type, SPAN("system")) ? f.subtype
							      : f.type,
			      f.type);
}

/* Notifications and such are the agent's. */
static bool is_typed(struct json entry)
{
	JSON_FIELDS(f, entry, type, subtype, provenance);
	return json_is(f.type, SPAN("user")) &&
	       (json_type(f.subtype) == JSON_ABSENT ||
		json_is(f.subtype, SPAN("mid_turn_user_message"))) &&
	       !json_is(f.provenance, SPAN("system"));
}

static bool is_said(struct json entry)
{
	JSON_FIELDS(f, entry, type, subtype);
	return !json_is(f.type, SPAN("system")) ||
	       JSON_IS(f.subtype, "chat_compression", "slash_command");
}

static void add_texts(struct buf *out, struct json list)
{
	JSON_EACH(item, list) {
		struct json text = json_get(item, "text");
		if (!json_has_text(text))
			continue;
		buf_adds(out, out->len > 0 ? "\n" : "");
		json_decode(out, text);
	}
}

/* What a compression leaves; a command, and what it has printed. */
static bool add_text(struct buf *out, struct json entry)
{
	struct buf text BUF_SCOPED = BUF_INTO(out);
	JSON_FIELDS(f, json_get(entry, "systemPayload"), compressedHistory,
		    rawCommand, outputHistoryItems);
	/* Telemetry repeats what others say. */
	if (json_is(json_get(entry, "subtype"), SPAN("ui_telemetry")))
		return true;
	if (json_is(json_get(entry, "type"), SPAN("system"))) {
		JSON_EACH(content, f.compressedHistory)
			add_texts(&text, qwen_parts(content));
		json_decode(&text, f.rawCommand);
		add_texts(&text, f.outputHistoryItems);
	}
	bool any = text.len > 0;
	buf_add(out, buf_span(&text));
	return any;
}

static void meta_tool(struct buf *out, struct json entry)
{
	meta_add_tools(out, read_block, json_at(entry, SPAN("message.parts")));
}

static void meta_error(struct buf *out, struct json entry)
{
	struct json status = json_at(entry, SPAN("toolCallResult.status"));
	if (JSON_IS(status, "error", "cancelled"))
		buf_adds(out, "yes");
	else
		meta_add_error(out, read_block,
			       json_at(entry, SPAN("message.parts")));
}

static const struct meta_row meta[] = {
	{ "role", .at = "message.role" },
	{ "model", .at = "model" },
	{ "tokens", .at = "usageMetadata.totalTokenCount" },
	{ "tool", .add = meta_tool },
	{ "error", .add = meta_error },
	{ "subtype", .at = "subtype" },
	{ "tokens-before", .at = "systemPayload.info.originalTokenCount" },
	{ "sidechain", .at = "?isSidechain" },
	{ "agent", .at = "agentName|agentId" },
	{ "cwd", .at = "cwd" },
	{ "branch", .at = "gitBranch" },
	{ 0 },
};

static void usage(struct json line, struct used *used)
{
	JSON_FIELDS(f, json_get(line, "usageMetadata"), totalTokenCount,
		    promptTokenCount, candidatesTokenCount);
	struct json id = json_get(line, "uuid");
	if (json_type(id) != JSON_ABSENT)
		used->copied = hash_bytes(0, id.raw);
	if (json_type(f.totalTokenCount) == JSON_NUMBER) {
		usage_add(&used->usage.tokens, f.totalTokenCount);
		return;
	}
	usage_add(&used->usage.tokens, f.promptTokenCount);
	usage_add(&used->usage.tokens, f.candidatesTokenCount);
}

const struct dialect_showing qwen_showing = {
	.rows = &rows,
	.envelope = envelope,
	.role_or_type = role_or_type,
	.is_typed = is_typed,
	.one_text_entitles = true,
	.is_said = is_said,
	.read_block = read_block,
	.text = add_text,
	.meta = meta,
	.usage = usage,
};
