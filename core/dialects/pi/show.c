/*
 * How entries of the Pi family are shown: role or type, content and `meta`. For
 * the contracts of the functions see struct dialect (dialect.h).
 */
#include "core/dialects/pi/pi.h"

#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/json/js.h"
#include "core/show/meta.h"
#include "core/show/rows.h"
#include "core/show/usage.h"

const char *const pi_envelope[] = { "id", "parentId", "type", "timestamp",
				    NULL };

struct json pi_blocks(struct json entry)
{
	struct json v = { 0 };
	if (!pi_is_system(json_get(entry, "message")))
		v = rows_content_at(&pi_rows, entry);
	return v;
}

void pi_add_template(struct buf *out, struct json of, const char *p)
{
	struct span place;
	while (template_next_place(&p, out, &place))
		js_to_string(out, json_at(of, place));
}

static bool has_failed(struct json code)
{
	return !js_is_nullish(code) &&
	       (json_type(code) != JSON_NUMBER || json_number(code) != 0);
}

void pi_add_execution(struct buf *out, const struct pi_execution *e,
		      struct json message)
{
	JSON_FIELDS(f, message, output, cancelled, exitCode);
	pi_add_template(out, message, e->executed);
	pi_add_template(out, message,
			json_truthy(f.output) ? e->output : "(no output)");
	if (json_truthy(f.cancelled))
		buf_adds(out, e->cancelled);
	else if (has_failed(f.exitCode))
		pi_add_template(out, message, e->failed);
}

const struct pi_execution pi_bash = {
	"Ran `{command}`\n",
	"```\n{output}\n```",
	"\n\n(command cancelled)",
	"\n\nCommand exited with code {exitCode}",
};

void pi_add_bash(struct buf *out, struct json m)
{
	JSON_FIELDS(f, m, truncated, fullOutputPath);
	pi_add_execution(out, &pi_bash, m);
	if (json_truthy(f.truncated) && json_truthy(f.fullOutputPath))
		pi_add_template(out, m,
				"\n\n[Output truncated. Full output: "
				"{fullOutputPath}]");
}

bool pi_text(struct buf *out, struct json entry)
{
	JSON_FIELDS(f, entry, type, message);
	if (!json_is(f.type, SPAN("message")))
		return false;
	if (pi_is_system(f.message))
		pi_add_system(out, f.message);
	else if (json_is(json_get(f.message, "role"), SPAN("bashExecution")))
		pi_add_bash(out, f.message);
	else
		return false;
	return true;
}

/*
 * The bytes of the text of a skill at the start of another one, as Pi's
 * parseSkillBlock() has it; all of them if nothing was typed with its call.
 */
static size_t skill_length(struct span text)
{
	static const struct span open = SPAN("<skill name=\"");
	static const struct span close = SPAN("\n</skill>");
	static const struct span gap = SPAN("\n\n");
	const char *end = text.p + text.n;
	const char *at = text.p;
	if (!span_starts(text, open))
		return 0;
	while ((at = memmem(at, (size_t)(end - at), close.p, close.n))) {
		at += close.n;
		struct span rest = { at, (size_t)(end - at) };
		if (text_trim(rest).n == 0)
			return text.n;
		if (span_starts(rest, gap))
			return text.n - rest.n + gap.n;
	}
	return 0;
}

/* A custom entry is an extension's own: what it says is a custom_message. */
bool pi_is_said(struct json entry)
{
	JSON_FIELDS(f, entry, type, message, display);
	JSON_FIELDS(m, f.message, role, content, display);
	if (json_type(f.display) == JSON_FALSE ||
	    json_type(m.display) == JSON_FALSE ||
	    JSON_IS(m.role, "system", "developer") ||
	    JSON_IS(f.type, "custom", "usage"))
		return false;
	if (!json_is(m.role, SPAN("user")))
		return true;
	/* Not a skill, without what a person wrote below it. */
	struct buf text BUF_SCOPED = { 0 };
	json_decode(&text, block_only_text(block_read_pi, m.content));
	return text.len == 0 || skill_length(buf_span(&text)) != text.len;
}

/* A user's message, but for that. */
static bool is_typed(struct json entry)
{
	struct json role = json_at(entry, SPAN("message.role"));
	return json_is(role, SPAN("user")) && pi_is_said(entry);
}

/* All but the text of a skill, which Pi puts in place of its call. */
static enum typed typed(struct buf *out, struct span text)
{
	size_t n = skill_length(text);
	bool any = n < text.n;
	buf_add(out, any ? span_from(text, n) : text);
	return any ? TYPED_WORDS : TYPED_NOTHING;
}

static const struct added_words adding[] = {
	PI_ADDING_ROWS,
	{ .words = "Output truncated Full output", .marker = "bashExecution" },
	{ 0 },
};

const struct dialect_adding pi_adding = { .rows = adding };

void pi_model(struct buf *out, struct json entry)
{
	JSON_FIELDS(f, entry, type, message);
	struct json role = json_get(f.message, "role");
	if (json_is(f.type, SPAN("model_change")))
		pi_add_template(out, entry, "{provider}/{modelId}");
	else if (json_is(f.type, SPAN("message")) &&
		 json_is(role, SPAN("assistant")))
		pi_add_template(out, f.message, "{provider}/{model}");
}

/* The model that an entry sets, was made with, or tells the use of. */
static void meta_model(struct buf *out, struct json entry)
{
	JSON_FIELDS(f, entry, type, model);
	if (json_is(f.type, SPAN("model_change")) &&
	    json_type(f.model) != JSON_ABSENT)
		js_to_string(out, f.model);
	else if (json_is(f.type, SPAN("model_usage")))
		pi_add_template(out, entry, "{provider}/{model}");
	else
		pi_model(out, entry);
}

/* -- usage */

static void meta_tokens(struct buf *out, struct json entry)
{
	struct json usage = json_at(entry, SPAN("message.usage"));
	if (json_type(usage) == JSON_ABSENT)
		usage = json_get(entry, "usage");
	JSON_FIELDS(f, usage, input, output, cacheRead, cacheWrite,
		    totalTokens);
	if (json_type(f.totalTokens) == JSON_NUMBER) {
		js_to_string(out, f.totalTokens);
		return;
	}
	/* Old versions of Pi did not write the total. */
	const struct json counts[] = { f.input, f.output, f.cacheRead,
				       f.cacheWrite };
	double total = 0;
	bool any = false;
	for (int i = 0; i < 4; i++) {
		if (json_type(counts[i]) == JSON_NUMBER) {
			total += json_number(counts[i]);
			any = true;
		}
	}
	if (any)
		buf_addf(out, "%.0f", total);
}

static bool counts(struct json type, struct json role)
{
	return JSON_IS(type, "usage", "compaction", "branch_summary") ||
	       (json_is(type, SPAN("message")) &&
		JSON_IS(role, "assistant", "toolResult"));
}

void pi_usage(struct json line, struct used *used)
{
	JSON_FIELDS(l, line, type, id, message, usage);
	JSON_FIELDS(m, l.message, role, usage);
	if (!counts(l.type, m.role))
		return;
	bool inner = json_type(m.usage) != JSON_ABSENT;
	JSON_FIELDS(f, inner ? m.usage : l.usage, input, output, cacheRead,
		    cacheWrite, cost);
	usage_add(&used->usage.tokens, f.input);
	usage_add(&used->usage.tokens, f.output);
	usage_add(&used->usage.tokens, f.cacheRead);
	usage_add(&used->usage.tokens, f.cacheWrite);
	usage_add(&used->usage.cost, json_get(f.cost, "total"));
	if (json_is_string(l.id))
		used->copied = hash_bytes(0, l.id.raw);
}

/* The tool of a result, or the tools that an assistant calls. */
static void meta_tool(struct buf *out, struct json entry)
{
	struct json m = json_get(entry, "message");
	struct json name = json_get(m, "toolName");
	if (json_type(name) != JSON_ABSENT)
		meta_add_value(out, name);
	else
		meta_add_tools(out, block_read_pi, json_get(m, "content"));
}

struct block pi_message_result(struct json message)
{
	JSON_FIELDS(f, message, role, toolCallId, toolName, isError);
	if (!json_is(f.role, SPAN("toolResult")))
		return (struct block){ 0 };
	return (struct block){ .type = BLOCK_RESULT,
			       .id = f.toolCallId,
			       .name = f.toolName,
			       .error = f.isError };
}

struct block pi_result(struct json entry)
{
	return pi_message_result(json_get(entry, "message"));
}

/* Of an execution what was run, of an answer why it ended, if not well. */
static void add_message_words(struct buf *out, struct json message)
{
	JSON_FIELDS(f, message, role, cancelled, exitCode, stopReason,
		    errorMessage);
	bool bash = json_is(f.role, SPAN("bashExecution"));
	if (bash || json_is(f.role, SPAN("pythonExecution"))) {
		pi_add_template(out, message,
				bash ? "$ {command}" : ">>> {code}");
		if (json_truthy(f.cancelled))
			buf_adds(out, " (cancelled)");
		else if (has_failed(f.exitCode))
			pi_add_template(out, message, " (exit {exitCode})");
	} else if (json_is(f.stopReason, SPAN("aborted"))) {
		buf_adds(out, "aborted");
	} else if (json_truthy(f.errorMessage)) {
		pi_add_template(out, message, "error: {errorMessage}");
	}
}

/* The most telling member of an entry that has no text. */
void pi_preview(struct buf *out, struct json entry)
{
	size_t from = out->len;
	struct json type = json_get(entry, "type");
	if (json_is(type, SPAN("message"))) {
		add_message_words(out, json_get(entry, "message"));
		return;
	}
	meta_model(out, entry);
	/* A usage's provider tells little. */
	if (out->len == from && !json_is(type, SPAN("usage")))
		meta_add_at(out, entry,
			    "thinkingLevel|label|name|title|mode|customType|"
			    "task|targetId|purpose|provider|serviceTier|"
			    "injectedRules");
}

/* -- rows of `meta` */

/* A result whose call the user has stopped, or kept from beginning, says so. */
static void meta_stop(struct buf *out, struct json entry)
{
	size_t from = out->len;
	JSON_FIELDS(f, json_get(entry, "message"), role, content, isError);
	meta_add_at(out, entry, "message.stopReason");
	if (out->len == from && json_is(f.role, SPAN("toolResult")) &&
	    json_truthy(f.isError) &&
	    json_is(block_only_text(block_read_pi, f.content),
		    SPAN("Operation aborted")))
		buf_adds(out, "aborted");
}

/* Is a transformation of input that the API tells of the loss of reasoning? */
static bool is_withheld(struct json diagnostic, struct json transformation)
{
	struct json what = json_get(transformation, "type");
	struct json api = json_get(diagnostic, "type");
	return (json_is(api, SPAN("openai_input_transformations")) &&
		json_is(what, SPAN("reasoning"))) ||
	       (json_is(api, SPAN("anthropic_input_transformations")) &&
		json_is(what, SPAN("thinking_dropped")));
}

/* Add a reason, unless it is there. */
static void add_reason(struct buf *reasons, struct json reason)
{
	struct buf text BUF_SCOPED = BUF_INTO(reasons);
	struct span rest = buf_span(reasons);
	bool known = !json_is_string(reason);
	json_decode(&text, reason);
	while (!known && rest.n > 0)
		known = span_eq(span_next_line(&rest), buf_span(&text));
	if (!known) {
		buf_add(reasons, buf_span(&text));
		buf_addc(reasons, '\n');
	}
}

/* How much reasoning the API has kept from the model, and why. */
static void meta_withheld(struct buf *out, struct json entry)
{
	struct buf reasons BUF_SCOPED = BUF_INTO(out);
	unsigned n = 0;
	JSON_EACH(diagnostic, json_at(entry, SPAN("message.diagnostics"))) {
		JSON_EACH(v, json_at(diagnostic,
				     SPAN("details.transformations"))) {
			if (!is_withheld(diagnostic, v))
				continue;
			add_reason(&reasons, json_get(v, "reason"));
			n++;
		}
	}
	struct span rest = buf_span(&reasons);
	if (n > 0)
		buf_addf(out, "%u", n);
	for (const char *before = " ("; rest.n > 0; before = ", ") {
		buf_adds(out, before);
		buf_add(out, span_next_line(&rest));
	}
	if (reasons.len > 0)
		buf_addc(out, ')');
}

const struct meta_row pi_meta[] = {
	{ "role", .at = "message.role|role" },
	{ "model", .add = meta_model },
	{ "thinking", .at = "thinkingLevel" },
	{ "mode", .at = "mode" },
	{ "tokens", .add = meta_tokens },
	{ "cost", .at = "message.usage.cost.total|usage.cost.total" },
	{ "stop", .add = meta_stop },
	{ "tool", .add = meta_tool },
	{ "command", .at = "message.command" },
	{ "error", .at = "?message.isError|message.errorMessage" },
	{ "withheld", .add = meta_withheld },
	{ "unseen-by", .at = "message.details.imageUnsupportedByModel" },
	{ "custom-type", .at = "customType|message.customType" },
	{ "attribution", .at = "attribution|message.attribution" },
	{ "target", .at = "targetId|targetUuid|target" },
	{ "from", .at = "fromId" },
	{ "first-kept", .at = "firstKeptEntryId|firstKeptEntryUuid" },
	{ "tokens-before", .at = "tokensBefore" },
	{ "method", .at = "method" },
	{ 0 },
};

const struct dialect_showing pi_showing = {
	.rows = &pi_rows,
	.envelope = pi_envelope,
	.is_typed = is_typed,
	.is_said = pi_is_said,
	.typed = typed,
	.read_block = block_read_pi,
	.blocks = pi_blocks,
	.text = pi_text,
	.result = pi_result,
	.preview = pi_preview,
	.meta = pi_meta,
	.usage = pi_usage,
};
