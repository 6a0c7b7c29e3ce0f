#include "core/dialects/drafts/draft.h"
#include "core/dialects/pi/pi.h"
#include "core/show/rows.h"
#include "tests/unit/test.h"

/* A line, and what its row says: the content as JSON, and the role or type. */
static const struct {
	const struct line_rows *rows;
	const char *line;
	enum entry_type entry;
	const char *content;
	const char *role;
} lines[] = {
	{ &pi_rows,
	  "{'type':'message','message':{'role':'user','content':'a'}}",
	  ENTRY_MESSAGE, "\"a\"", "user" },
	{ &pi_rows, "{'type':'custom_message','content':['b']}",
	  ENTRY_CUSTOM_MESSAGE, "[\"b\"]", "custom_message" },
	{ &pi_rows, "{'type':'branch_summary','summary':'c'}",
	  ENTRY_BRANCH_SUMMARY, "\"c\"", "branch_summary" },
	{ &pi_rows, "{'type':'compaction','summary':'d'}", ENTRY_COMPACTION,
	  "\"d\"", "compaction" },
	{ &pi_rows, "{'type':'context_edit'}", ENTRY_CONTEXT_EDIT, "",
	  "context_edit" },
	{ &pi_rows, "{'type':'model_change'}", ENTRY_MODEL, "",
	  "model_change" },
	{ &pi_rows, "{'type':'thinking_level_change'}", ENTRY_THINKING, "",
	  "thinking_level_change" },
	{ &pi_rows, "{'type':'label'}", ENTRY_LABEL, "", "label" },
	{ &pi_rows, "{'type':'session_info'}", ENTRY_NAME, "", "session_info" },
	{ &pi_rows, "{'type':'custom','customType':'sessfs.head'}", ENTRY_HEAD,
	  "", "custom" },
	{ &pi_rows, "{'type':'custom','customType':'x','content':'e'}",
	  ENTRY_OTHER, "", "custom" },
	{ &draft_rows, "{'type':'message','message':{'content':'a'}}",
	  ENTRY_MESSAGE, "\"a\"", "message" },
	{ &draft_rows, "{'type':'stack_summary','summary':'b'}",
	  ENTRY_BRANCH_SUMMARY, "\"b\"", "stack_summary" },
	{ &draft_rows, "{'type':'branch_summary','summary':'c'}",
	  ENTRY_BRANCH_SUMMARY, "\"c\"", "branch_summary" },
	{ &draft_rows, "{'type':'compaction','summary':'d'}", ENTRY_COMPACTION,
	  "\"d\"", "compaction" },
	{ &draft_rows, "{'type':'custom_message','content':'e'}", ENTRY_OTHER,
	  "\"e\"", "custom_message" },
	{ &draft_rows, "{'type':'model_change'}", ENTRY_MODEL, "",
	  "model_change" },
	{ &draft_rows, "{'type':'thinking_level_change'}", ENTRY_THINKING, "",
	  "thinking_level_change" },
	{ &draft_rows, "{'type':'head'}", ENTRY_HEAD, "", "head" },
	{ &draft_rows, "{'type':'label'}", ENTRY_LABEL, "", "label" },
};

/* Each row is of a line above. */
static void check_all_hit(const struct line_rows *rows)
{
	for (const struct line_row *row = rows->list; row->type; row++) {
		bool hit = false;
		for (size_t i = 0; i < COUNT(lines); i++) {
			struct buf line = test_quoted(lines[i].line);
			struct json v;
			CHECK_INT(json_check(buf_span(&line), &v), 0);
			hit = hit || rows_find(rows, v) == row;
			buf_free(&line);
		}
		test_row = row->type;
		CHECK(hit);
	}
	test_row = NULL;
}

int main(void)
{
	for (size_t i = 0; i < COUNT(lines); i++) {
		const struct dialect_showing d = { .rows = lines[i].rows };
		struct buf line = test_quoted(lines[i].line);
		struct buf role = { 0 };
		struct json v;
		test_row = lines[i].line;
		CHECK_INT(json_check(buf_span(&line), &v), 0);
		CHECK_INT(rows_find(lines[i].rows, v)->entry, lines[i].entry);
		struct json content = rows_content(&d, v);
		struct span raw = SPAN("");
		if (content.raw.n > 0)
			raw = content.raw;
		CHECK_SPAN(raw, span_of(lines[i].content));
		rows_add_role(&d, &role, v);
		CHECK_SPAN(buf_span(&role), span_of(lines[i].role));
		buf_free(&role);
		buf_free(&line);
	}
	test_row = NULL;
	check_all_hit(&pi_rows);
	check_all_hit(&draft_rows);
	return test_done("pi_rows");
}
