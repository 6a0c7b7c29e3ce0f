/*
 * The kind, content and `meta` of entries in Claude Code sessions, and what
 * they have used.
 */
#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/dialects/claude/attachment.h"
#include "core/dialects/claude/claude.h"
#include "core/show/meta.h"
#include "core/show/usage.h"

/* The type of lines with what the session has cost so far. */
#define COST_STATE "cost-state"

static const char *const envelope[] = {
	"type",	      "uuid",	 "parentUuid", "logicalParentUuid",
	"timestamp",  "cwd",	 "sessionId",  "isSidechain",
	"userType",   "agentId", "version",    "gitBranch",
	"entrypoint", "slug",	 "requestId",  "forkedFrom",
	NULL
};

static const struct line_row lines[] = {
	{ "user", NULL, ENTRY_MESSAGE, .content = "message.content" },
	{ "assistant", NULL, ENTRY_MESSAGE, .content = "message.content" },
	{ "attachment", "queued_command", ENTRY_OTHER,
	  .content = "attachment.prompt" },
	{ "system", NULL, ENTRY_OTHER, .content = "content" },
	{ NULL, NULL, ENTRY_OTHER, .content = NULL },
};

static const struct line_rows rows = {
	.type = "type",
	.kind = "attachment.type",
	.list = lines,
};

/* An output that was too long for a line is in another file. */
static const struct added_words adding[] = {
	{ .words = claude_attachment_words, .marker = "attachment" },
	/* A diagnostic without a line has this one. */
	{ .words = "NaN", .marker = "attachment" },
	{ .marker = "<persisted-output>" },
	{ 0 },
};

const struct dialect_adding claude_adding = { .rows = adding };

static bool is_attachment(struct json type)
{
	return json_is(type, SPAN("attachment"));
}

/* The first block of a message, such as a result, or a content that is a
 * string. */
static struct json first_block(struct json content)
{
	struct json_walk w = json_walk(content);
	struct json block;
	if (json_type(content) != JSON_ARRAY)
		return content;
	return json_next_element(&w, &block) ? block : (struct json){ 0 };
}

static void role_or_type(struct buf *out, struct json entry)
{
	JSON_FIELDS(f, entry, type, message, isCompactSummary);
	bool said = JSON_IS(f.type, "user", "assistant");
	JSON_FIELDS(m, f.message, role, content);
	bool user = said && json_is(m.role, SPAN("user"));
	if (is_attachment(f.type) && claude_attachment_is_typed(entry))
		buf_adds(out, "user");
	else if (user && json_truthy(f.isCompactSummary))
		buf_adds(out, "compaction");
	else if (user && BLOCK_IS(first_block(m.content), "tool_result"))
		buf_adds(out, "toolResult");
	else
		meta_add_kind(out, said ? m.role : f.type, f.type);
}

static bool add_text(struct buf *out, struct json entry)
{
	return is_attachment(json_get(entry, "type")) &&
	       claude_attachment_text(entry, out);
}

static bool is_typed(struct json entry)
{
	JSON_FIELDS(f, entry, type, subtype, isMeta, isCompactSummary, message);
	if (is_attachment(f.type))
		return claude_attachment_is_typed(entry);
	if (json_is(f.type, SPAN("system")))
		return json_is(f.subtype, SPAN("local_command"));
	return json_is(f.type, SPAN("user")) && !json_truthy(f.isMeta) &&
	       !json_truthy(f.isCompactSummary) &&
	       !claude_has_block(json_get(f.message, "content"), "tool_result");
}

/* Is a content nothing but reminders? */
static bool reminds(struct json content)
{
	struct buf text BUF_SCOPED = { 0 };
	bool any = false;
	bool all = true;
	BLOCK_EACH_WHILE(all, b, block_read_api, content) {
		buf_clear(&text);
		json_decode(&text, b.text);
		struct span said = text_trim(buf_span(&text));
		all = b.type == BLOCK_TEXT &&
		      span_starts(said, SPAN(CLAUDE_OPEN_TAG)) &&
		      span_ends(said, SPAN(CLAUDE_CLOSE_TAG));
		any = true;
	}
	return any && all;
}

/* Lines of the type `system` are the agent's, but for a person's commands. */
static bool is_said(struct json entry)
{
	JSON_FIELDS(f, entry, type, subtype, isMeta, message);
	if (is_attachment(f.type))
		return claude_attachment_is_typed(entry);
	if (json_is(f.type, SPAN("system")))
		return json_is(f.subtype, SPAN("local_command"));
	if (!json_is(f.type, SPAN("user")))
		return true;
	return !json_truthy(f.isMeta) &&
	       !reminds(json_get(f.message, "content"));
}

static void add_word(struct buf *out, struct json word)
{
	if (!json_is_string(word))
		return;
	buf_addc(out, ' ');
	meta_add_value(out, word);
}

/* The kind of a line, and the file or hook that an attachment is about. */
static void preview(struct buf *out, struct json entry)
{
	JSON_FIELDS(f, json_get(entry, "attachment"), displayPath, hookName);
	meta_add_at(out, entry, "subtype");
	if (out->len == 0) {
		meta_add_at(out, entry, "attachment.type");
		add_word(out, f.displayPath);
		add_word(out, f.hookName);
	}
	if (out->len == 0)
		meta_add_at(out, entry, "data.type");
}

/* -- rows of `meta` */

/* Returns false if there are no numbers. */
static bool add_tokens(double *total, struct json usage)
{
	static const char *const names[] = { "input_tokens",
					     "cache_creation_input_tokens",
					     "cache_read_input_tokens",
					     "output_tokens" };
	enum { N = sizeof(names) / sizeof(names[0]) };
	struct json n[N];
	bool any = false;
	json_get_all(usage, N, names, n);
	for (size_t i = 0; i < N; i++) {
		usage_add(total, n[i]);
		any = any || json_type(n[i]) == JSON_NUMBER;
	}
	return any;
}

static void meta_tokens(struct buf *out, struct json entry)
{
	double total = 0;
	if (add_tokens(&total, json_at(entry, SPAN("message.usage"))))
		buf_addf(out, "%.0f", total);
}

/* All tokens of the API, once a response. Old versions noted the cost. */
static void usage(struct json line, struct used *used)
{
	struct buf id BUF_SCOPED = { 0 };
	JSON_FIELDS(f, line, message, type, costUSD, totalCostUSD);
	if (json_is(f.type, SPAN(COST_STATE))) {
		used->is_total = json_type(f.totalCostUSD) == JSON_NUMBER;
		usage_add(&used->usage.cost, f.totalCostUSD);
		return;
	}
	if (!json_is(f.type, SPAN("assistant")))
		return;
	JSON_FIELDS(m, f.message, id, usage);
	add_tokens(&used->usage.tokens, m.usage);
	usage_add(&used->usage.cost, f.costUSD);
	json_decode(&id, m.id);
	if (id.len > 0)
		used->response = hash_bytes(0, buf_span(&id));
	used->failed = id.failed;
}

static void meta_tool(struct buf *out, struct json entry)
{
	meta_add_tools(out, block_read_api,
		       json_at(entry, SPAN("message.content")));
}

static void meta_error(struct buf *out, struct json entry)
{
	if (json_truthy(json_get(entry, "isApiErrorMessage")))
		buf_adds(out, "yes");
	else
		meta_add_error(out, block_read_api,
			       json_at(entry, SPAN("message.content")));
}

static const struct meta_row meta[] = {
	{ "role", .at = "message.role" },
	{ "model", .at = "message.model" },
	{ "tokens", .add = meta_tokens },
	{ "cost", .at = "costUSD" },
	{ "stop", .at = "message.stop_reason" },
	{ "tool", .add = meta_tool },
	{ "error", .add = meta_error },
	{ "subtype", .at = "subtype|attachment.type" },
	{ "tokens-before", .at = "compactMetadata.preTokens" },
	{ "message-id", .at = "message.id" },
	{ "sidechain", .at = "?isSidechain" },
	{ "agent", .at = "agentId" },
	{ "meta", .at = "?isMeta" }, /* the agent made it, not the user */
	{ "cwd", .at = "cwd" },
	{ "branch", .at = "gitBranch" },
	{ 0 },
};

const struct dialect_showing claude_showing = {
	.rows = &rows,
	.envelope = envelope,
	.role_or_type = role_or_type,
	.is_typed = is_typed,
	.typed = claude_typed,
	.one_text_entitles = true,
	.is_said = is_said,
	.read_block = block_read_api,
	.text = add_text,
	.preview = preview,
	.meta = meta,
	.usage = usage,
	.total = COST_STATE,
};
