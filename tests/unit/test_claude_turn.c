#include "core/dialects/claude/turn.h"

#include "tests/unit/tables.h"

static void add_line(struct claude_turn *t, struct span text)
{
	struct claude_notes notes = { 0 };
	struct json line;
	CHECK_INT(json_check(text, &line), 0);
	struct json content = json_get(json_get(line, "message"), "content");
	if (json_type(json_get(line, "attachment")) == JSON_OBJECT) {
		CHECK_INT(claude_attachment(line, &notes), 0);
		claude_turn_notes(t, &notes);
		claude_notes_free(&notes);
		return;
	}
	claude_turn_line(t);
	if (json_type(content) == JSON_STRING)
		claude_turn_text(t, content);
	JSON_EACH_WHILE(json_type(content) == JSON_ARRAY, block, content)
		claude_turn_block(t, block);
}

static void check_model(struct row *r, struct buf *made)
{
	static const char *const names[] = { [CLAUDE_TAKES_NONE] = "none",
					     [CLAUDE_TAKES_PLAIN] = "plain",
					     [CLAUDE_TAKES_TAGGED] = "tagged" };
	buf_adds(made, names[claude_takes_system(row_field(r, 0))]);
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
	rows_check("claude_turn", check_model);
	check_cost("{'message':{'content':[{'type':'tool_result','content':'",
		   "'}]}}");
	check_cost("{'message':{'content':[{'type':'tool_result','content':["
		   "{'type':'text','text':'",
		   "'}]}]}}");
	return test_done("claude_turn");
}
