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
#include "core/dialects/codex/codex.h"

#include "core/json/json.h"

static const struct {
	struct span start;
	bool code; /* the rest is an exit code */
} lines[] = {
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

size_t codex_heading(struct span text, bool *failed)
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
		while (i < sizeof(lines) / sizeof(lines[0]) &&
		       !span_starts(line, lines[i].start))
			i++;
		if (i == sizeof(lines) / sizeof(lines[0]))
			break;
		line = span_from(line, lines[i].start.n);
		bad = bad || (lines[i].code && !span_eq(line, SPAN("0")));
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

static bool is_refusal(struct span text)
{
	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
		if (span_starts(text, refusals[i]))
			return true;
	}
	return false;
}

/*
 * Does the text of a result say that the call has failed? Those of calls that
 * were refused have no such lines but the agent's own words, and those of older
 * versions are objects: {"output": …, "metadata": {"exit_code": 1}}.
 */
static bool says_failed(struct span text)
{
	bool failed = false;
	struct json v;
	if (codex_heading(text, &failed) > 0)
		return failed;
	if (is_refusal(text))
		return true;
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
		json_decode(&text, block_first_text(codex_showing.read_block,
						    f.output));
	if (says_failed(buf_span(&text)))
		b.error.raw = SPAN("true");
	return b;
}
