#include "core/dialects/claude/attachment.h"

#include "core/dialects/claude/claude.h"
#include "tests/unit/dialect_test.h"

static struct claude_notes notes;

static void load(struct buf *line)
{
	struct json v;
	CHECK_INT(json_check(buf_span(line), &v), 0);
	CHECK_INT(claude_attachment(v, &notes), 0);
	buf_free(line);
}

static void check_role(const char *text, bool system, bool block)
{
	struct buf line = test_quoted(text);
	test_row = text;
	load(&line);
	CHECK_INT(notes.as_system, system);
	CHECK_INT(notes.as_block, block);
	test_row = NULL;
}

static void check_roles(void)
{
	check_role("{'attachment':{'type':'date'}}", true, false);
	check_role("{'attachment':{'type':'file'}}", true, false);
	check_role("{'attachment':{'type':'plugin_note'}}", false, false);
	check_role("{'attachment':{'type':'date'},'renderedRole':'user'}",
		   false, false);
	check_role("{'attachment':{'type':'date'},'renderedRole':'system'}",
		   true, false);
	check_role("{'attachment':{'type':'date'},'renderedRole':'x'}", true,
		   false);
	check_role("{'attachment':{'type':'file'},'renderedRole':'user'}",
		   false, true);
	check_role("{'attachment':{'type':'hook_additional_context',"
		   "'hookName':'prompt.submit'},'renderedRole':'user'}",
		   false, true);
}

static void check_notification(void)
{
	struct buf out = { 0 };
	struct json v;
	struct buf line = test_quoted(
		"{'origin':{'kind':'task-notification'},'message':{'content':["
		"{'type':'text','text':'a'},{'type':'image'},"
		"{'type':'text','text':'b'}]}}");
	CHECK_INT(json_check(buf_span(&line), &v), 0);
	CHECK(claude_add_notification(v, json_at(v, SPAN("message.content")),
				      &out));
	CHECK(span_starts(buf_span(&out), SPAN("[{\"type\":\"text\"")));
	CHECK(span_ends(buf_span(&out),
			SPAN("\\n\\na\\nb\\n</system-reminder>\"},"
			     "{\"type\":\"image\"}]")));
	buf_free(&line);
	buf_clear(&out);
	line = test_quoted("{'origin':{'kind':'human'}}");
	CHECK_INT(json_check(buf_span(&line), &v), 0);
	CHECK(!claude_add_notification(v, json_at(v, SPAN("message.content")),
				       &out));
	CHECK_INT(out.len, 0);
	buf_free(&line);
	buf_free(&out);
}

#define QUEUED(more) \
	"{'attachment':{'type':'queued_command','prompt':'p'" more "}}"
#define RENDERED(contents) \
	"{'attachment':{'type':'x'},'rendered':[" contents "]}"

/* What people read of a line, NULL for its fields; did somebody type it? */
static const struct {
	const char *line;
	const char *text;
	bool typed;
} shown[] = {
	{ RENDERED("{'content':'<system-reminder>\\na\\n</system-reminder>'},"
		   "{'content':[{'type':'text','text':'b'},"
		   "{'type':'text','text':'c'}]}"),
	  "a\nb\nc", false },
	{ RENDERED("{'content':'a </system-reminder>'}"),
	  "a </system-reminder>", false },
	{ RENDERED("{'content':''}"), NULL, false },
	{ "{'attachment':{'type':'prompt_snapshot','text':'t'}}", NULL, false },
	{ "{'attachment':5}", NULL, false },
	{ "{}", NULL, false },
	{ "{'attachment':{'type':'queued_command','prompt':[{'type':'image'}]"
	  "}}",
	  NULL, true },
	{ QUEUED(",'renderedByBatchHead':true"), NULL, true },
	{ QUEUED(",'origin':{'kind':'human'},'isMeta':true,"
		 "'renderedByBatchHead':true"),
	  NULL, false },
	{ QUEUED(",'origin':{'kind':'peer'},'renderedByBatchHead':true"), NULL,
	  false },
	{ QUEUED(",'commandMode':'task-notification',"
		 "'renderedByBatchHead':true"),
	  NULL, false },
};

static void check_shown(void)
{
	for (size_t i = 0; i < COUNT(shown); i++) {
		struct buf line = test_quoted(shown[i].line);
		struct buf out = { 0 };
		struct json v;
		test_row = shown[i].line;
		CHECK_INT(json_check(buf_span(&line), &v), 0);
		CHECK_INT(claude_attachment_text(v, &out),
			  shown[i].text != NULL);
		CHECK_BUF(&out, shown[i].text ? shown[i].text : "");
		CHECK_INT(claude_attachment_is_typed(v), shown[i].typed);
		buf_free(&line);
		buf_free(&out);
	}
	test_row = NULL;
}

/* A megabyte of each is a moment's work. */
static void check_cost(void)
{
	static const char *const parts[] = {
		"<", "< ", "</", "<system-reminder", "\\u0000", "{", "\\n"
	};
	for (size_t i = 0; i < COUNT(parts); i++) {
		struct buf line = test_quoted("{'attachment':{'type':"
					      "'hook_success','hookEvent':"
					      "'SessionStart','content':'");
		while (line.len < 1000000)
			buf_adds(&line, parts[i]);
		buf_adds(&line, "\"}}");
		load(&line);
		CHECK_INT(notes.n, 1);
	}
}

int main(void)
{
	check_roles();
	check_notification();
	check_shown();
	check_cost();
	claude_notes_free(&notes);
	return test_done("claude_attachment");
}
