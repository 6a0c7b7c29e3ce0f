/* Codex's contexts for other agents, and theirs for Codex. */
#include "core/as/form.h"
#include "tests/unit/dialect_test.h"

#define META                                                                 \
	"{'timestamp':'2026-03-01T10:00:00.000Z','type':'session_meta','pay" \
	"load':{'id':'019ca8f0-0000-7000-8000-000000000001','timestamp':'20" \
	"26-03-01T10:00:00.000Z','cwd':'/w','originator':'x','cli_version':" \
	"'0.171.0'}}\n"
#define LINE(type, payload)                                         \
	"{'timestamp':'2026-03-01T10:00:01.000Z','type':'" type "'" \
	",'payload':{" payload "}}\n"
#define ITEM(type, more) LINE("response_item", "'type':'" type "'," more)
#define SAID(role, content) \
	ITEM("message", "'role':'" role "','content':[" content "]")
#define PART(type, text) "{'type':'" type "','text':'" text "'}"
#define IN(text) PART("input_text", text)
#define TEXT(text) PART("text", text)
#define ASKED(blocks) "{'role':'user','content':[" blocks "]}"
#define NOTE "<environment_context>x</environment_context>"

static const struct {
	const char *lines; /* after the first */
	const char *taken; /* as/anthropic.json */
} rows[] = {
	{ SAID("developer", IN("d")) SAID("user", IN(NOTE))
		  SAID("user", IN("go")),
	  ASKED(TEXT("go")) },
	{ SAID("user", IN(NOTE) "," IN("go")), ASKED(TEXT("go")) },
	{ SAID("user", IN("<skill>s</skill>"))
		  SAID("user", IN("<goal_context>g</goal_context>")),
	  ASKED(TEXT("<skill>s</skill>") "," TEXT(
		  "<goal_context>g</goal_context>")) },
	{ SAID("user", IN("go"))
		  ITEM("reasoning",
		       "'summary':[" PART("summary_text", "hm") "],'encrypted_c"
								"ontent':'E'")
			  ITEM("function_call",
			       "'name':'f','arguments':'{}','call_id':'c'")
				  ITEM("function_call_output",
				       "'call_id':'c','output':'Exit code: 1\\n"
				       "Wall time: 1 seconds\\nOutput:\\nno'"),
	  ASKED(TEXT("go")) ",{'role':'assistant','content':[" TEXT(
		  "hm") ",{'type':'tool_use','id':'c','name':'f','input':{}}]},"
			"{'role':'user','content':[{'type':'tool_result','tool_"
			"use_id':'c','content':[" TEXT(
				"Exit code: 1\\nWall time: 1 "
				"seconds\\nOutput:\\nno") "],'is_error':"
							  "true}]}" },
	{ SAID("user", IN("go"))
		  ITEM("agent_message",
		       "'author':'/root','recipient':'/root/a','content':[" IN(
			       "m") ",{'type':'encrypted_content','encrypted_co"
				    "ntent':'E'}]"),
	  ASKED(TEXT("go") "," TEXT("m")) },
	{ LINE("compacted",
	       "'message':'','replacement_history':[{'type':'compaction','encr"
	       "ypted_content':'E'}]"),
	  ASKED(TEXT("[What was said before was compacted here. The summary is "
		     "encrypted, and only the service that made it can read "
		     "it.]")) },
	/* Where the path has what it replaced, that is taken. */
	{ SAID("user", IN("go")) SAID("assistant", PART("output_text", "gone"))
		  LINE("compacted",
		       "'message':'','replacement_history':[{'type':'message','"
		       "role':'user','content':[" IN(
			       "go") "]},{'type':'compaction','encrypted_conten"
				     "t':'E'}]") SAID("user", IN("on")),
	  ASKED(TEXT("go")) ",{'role':'assistant','content':[" TEXT(
		  "gone") "]}," ASKED(TEXT("on")) },
};

static void add_form(const struct session *s, const char *form, struct buf *out)
{
	unsigned number = 0;
	CHECK_INT(as_form_find(&dialect_registry, span_of(form), &number), 0);
	CHECK_INT(as_form_add(s, number, session_at_leaf(s), 1, out), 0);
}

static void check_form(const struct session *s, const char *form,
		       const char *want)
{
	struct buf got = { 0 };
	struct buf plain = { 0 };
	struct buf quoted = test_quoted(want);
	struct buf wanted = { 0 };
	add_form(s, form, &got);
	for (size_t i = 0; i < got.len; i++) {
		if (got.data[i] != '\n')
			buf_addc(&plain, got.data[i]);
	}
	buf_addf(&wanted, "[%.*s]", (int)quoted.len, quoted.data);
	CHECK_SPAN(buf_span(&plain), buf_span(&wanted));
	buf_free(&got);
	buf_free(&plain);
	buf_free(&quoted);
	buf_free(&wanted);
}

static void check_taken(void)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct buf lines = { 0 };
		buf_addf(&lines, "%s%s", META, rows[i].lines);
		struct session *s = dialect_session("codex", buf_cstr(&lines));
		test_row = rows[i].lines;
		check_form(s, "anthropic.json", rows[i].taken);
		session_leave(s);
		session_free(s);
		buf_free(&lines);
	}
	test_row = NULL;
}

#define PI(id, parent, message)                              \
	"{'type':'message','id':'" id "','parentId':" parent \
	",'timestamp':'2026-03-01T10:00:00.000Z','message':{" message "}}\n"
#define CALL(id, arguments)                                      \
	"{'type':'toolCall','id':'" id "','name':'f','arguments" \
	"':" arguments "}"
#define RESULT(id, content)                     \
	"'role':'toolResult','toolCallId':'" id \
	"','toolName':'f','content':[" content "],'isError':false"

/* Append a session of Pi whose one result has so many bytes. */
static void add_pi(struct buf *out, size_t n)
{
	buf_adds(out,
		 "{'type':'session','version':3,'id':'0198f000-0000-7000-8000-"
		 "000000000001','timestamp':'2026-03-01T10:00:00.000Z','cwd':'"
		 "/w'}\n" PI("00000001", "null", "'role':'user','content':'go'")
			 PI("00000002", "'00000001'",
			    "'role':'assistant','content':[" CALL(
				    "c", "{'x':1}") "," CALL("t", "'text'") "]")
				 PI("00000003", "'00000002'", RESULT("t", "")));
	buf_adds(out,
		 "{'type':'message','id':'00000004','parentId':'00000003','"
		 "timestamp':'2026-03-01T10:00:00.000Z','message':{'role':"
		 "'toolResult','toolCallId':'c','toolName':'f','isError':f"
		 "alse,'content':[{'type':'text','text':'");
	buf_fill(out, 'x', n);
	buf_adds(out, "'}]}}\n" PI("00000005", "'00000004'",
				   "'role':'assistant','content':[{'type':'tex"
				   "t','text':'done'}]"));
}

/*
 * The rollout is the same each time, is opened by the agent as far as is known,
 * and says what the session did. Long results are in a list, before the rest.
 */
static void check_received(size_t n, bool listed)
{
	struct buf pi = { 0 };
	struct buf file = { 0 };
	struct buf again = { 0 };
	struct buf want = { 0 };
	struct buf got = { 0 };
	add_pi(&pi, n);
	struct session *s = dialect_session("pi", buf_cstr(&pi));
	add_form(s, "codex.jsonl", &file);
	add_form(s, "codex.jsonl", &again);
	add_form(s, "responses.json", &want);
	CHECK_SPAN(buf_span(&file), buf_span(&again));
	test_put(test_path("r.jsonl"), O_TRUNC, buf_span(&file));
	session_leave(s);
	session_free(s);
	s = dialect_open("r.jsonl", NULL);
	CHECK_SPAN(span_of(s->dialect->name), SPAN("codex"));
	CHECK_INT(s->now.index.n, listed ? 7 : 6);
	CHECK_INT(session_entry(s, listed ? 5 : 0)->type,
		  listed ? ENTRY_COMPACTION : ENTRY_MESSAGE);
	dialect_check_problems(s, "");
	struct unopened u = session_unopened(s);
	CHECK_INT(u.why == NULL, true);
	add_form(s, "responses.json", &got);
	CHECK_SPAN(buf_span(&got), buf_span(&want));
	session_leave(s);
	session_free(s);
	buf_free(&pi);
	buf_free(&file);
	buf_free(&again);
	buf_free(&want);
	buf_free(&got);
}

/* What the agent shows of a message with several texts. */
static void check_shown(void)
{
	static const char shown[] =
		"'content':[{'type':'Text','text':'a'},{'type':'Text','text':'"
		"\\n\\nb'}]";
	struct buf want = test_quoted(shown);
	struct buf file = { 0 };
	struct session *s = dialect_session(
		"pi",
		"{'type':'session','version':3,'id':'0198f000-0000-7000-8000-"
		"000000000001','timestamp':'2026-03-01T10:00:00.000Z','cwd':'"
		"/w'}\n" PI("00000001", "null", "'role':'user','content':'go'")
			PI("00000002", "'00000001'",
			   "'role':'assistant','content':[" TEXT("a") "," TEXT(
				   "b") "]"));
	add_form(s, "codex.jsonl", &file);
	CHECK_INT(memmem(file.data, file.len, want.data, want.len) != NULL,
		  true);
	session_leave(s);
	session_free(s);
	buf_free(&file);
	buf_free(&want);
}

int main(void)
{
	check_taken();
	check_shown();
	check_received(100, false);
	check_received(20000, true);
	return test_done("codex_as");
}
