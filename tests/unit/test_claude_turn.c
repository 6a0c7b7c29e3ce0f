#include "core/dialects/claude/turn.h"

#include "tests/unit/test.h"

static void add_line(struct claude_turn *t, struct span text)
{
	struct claude_notes notes = { 0 };
	struct json line;
	struct json block;
	CHECK_INT(json_check(text, &line), 0);
	struct json content = json_get(json_get(line, "message"), "content");
	struct json_walk w = json_walk(content);
	if (json_type(json_get(line, "attachment")) == JSON_OBJECT) {
		CHECK_INT(claude_attachment(line, &notes), 0);
		claude_turn_notes(t, &notes);
		claude_notes_free(&notes);
		return;
	}
	claude_turn_line(t);
	if (json_type(content) == JSON_STRING)
		claude_turn_text(t, content);
	while (json_type(content) == JSON_ARRAY &&
	       json_next_element(&w, &block))
		claude_turn_block(t, block);
}

static void check_models(void)
{
	static const char *const old[] = {
		"claude-3-5-sonnet-20241022",
		"claude-opus-4-20250514",
		"claude-sonnet-4-20250514",
		"claude-opus-4-0",
		"claude-opus-4-1-20250805",
		"claude-opus-4-5-20251101",
		"claude-opus-4-7",
		"claude-sonnet-4-6",
		"claude-haiku-4-5-20251001",
	};
	static const char *const new[] = {
		"claude-opus-4-8",   "claude-opus-5", "claude-haiku-5-5",
		"claude-sonnet-5-5", "gpt",	      ""
	};
	for (size_t i = 0; i < COUNT(old); i++) {
		test_row = old[i];
		CHECK_INT(claude_takes_system(span_of(old[i])),
			  CLAUDE_TAKES_NONE);
	}
	for (size_t i = 0; i < COUNT(new); i++) {
		test_row = new[i];
		CHECK_INT(claude_takes_system(span_of(new[i])),
			  CLAUDE_TAKES_PLAIN);
	}
	test_row = NULL;
	CHECK_INT(claude_takes_system(SPAN("claude-sonnet-5")),
		  CLAUDE_TAKES_TAGGED);
}

/* Many notes after a large result are a moment's work. */
static void check_cost(const char *before, const char *after)
{
	struct claude_turn t = { 0 };
	struct buf content = { 0 };
	struct buf system = { 0 };
	struct buf line = test_quoted(before);
	struct buf end = test_quoted(after);
	const struct buf note = test_quoted(
		"{'attachment':{'type':'elapsed_time_reminder','text':'a'}}");
	buf_fill(&line, 'x', 1000000);
	buf_add(&line, buf_span(&end));
	add_line(&t, buf_span(&line));
	for (int i = 0; i < 10000; i++)
		add_line(&t, buf_span(&note));
	claude_turn_end(&t, &content, &system);
	CHECK(content.len > 1300000);
	claude_turn_free(&t);
	buf_free(&content);
	buf_free(&line);
	buf_free(&end);
	free(note.data);
}

int main(void)
{
	check_models();
	check_cost("{'message':{'content':[{'type':'tool_result','content':'",
		   "'}]}}");
	check_cost("{'message':{'content':[{'type':'tool_result','content':["
		   "{'type':'text','text':'",
		   "'}]}]}}");
	return test_done("claude_turn");
}
