/* Claude Code's contexts for other agents, and theirs for Claude Code. */
#include "core/as/conversation.h"
#include "core/as/form.h"
#include "core/dialects/claude/attachment.h"
#include "core/dialects/claude/claude.h"
#include "tests/unit/dialect_test.h"

#define SESSION "5e55f500-0000-4000-8000-000000000001"
#define LINE(type, id, parent, second, more)                                  \
	"{'type':'" type "','uuid':'" id "','parentUuid':" parent             \
	",'isSidechain':false,'sessionId':'" SESSION "','timestamp':'2026-03" \
	"-01T10:00:" second ".000Z'" more "}\n"
#define SAID(id, parent, content) \
	LINE("user", id, parent, "01", ",'message':{'content':" content "}")
#define META(id, parent, content, more) \
	LINE("user", id, parent, "01",  \
	     ",'isMeta':true" more ",'message':{'content':" content "}")
#define ATTACHED(id, parent, more) \
	LINE("attachment", id, parent, "02", ",'attachment':{" more "}")
#define OLD "claude-sonnet-4-5-20250929"
#define NEW "claude-opus-5"
#define CALLED_BY(id, parent, model)                                         \
	LINE("assistant", id, parent, "03",                                  \
	     ",'message':{'id':'m" id "','model':'" model "','content':[{'t" \
	     "ype':'tool_use','id':'t','name':'R','input':{}}]}")
#define CALLED(id, parent) CALLED_BY(id, parent, OLD)
#define RESULT(id, parent, content)                                        \
	SAID(id, parent,                                                   \
	     "[{'type':'tool_result','tool_use_id':'t','content':" content \
	     "}]")
#define RENDERED(type, text)                                      \
	"'type':'" type "'},'rendered':[{'content':'<system-remi" \
	"nder>\\n" text "\\n</system-reminder>'}],'x':{"
#define TAGGED(text) "<system-reminder>\\n" text "\\n</system-reminder>"
#define TEXT(text) "{'type':'text','text':'" text "'}"
#define ASKED(blocks) "{'role':'user','content':[" blocks "]}"
#define CALL                                                             \
	"{'role':'assistant','content':[{'type':'tool_use','id':'t','na" \
	"me':'R','input':{}}]}"
#define PNG "iVBORw0KGgo="
#define PICTURE                                                             \
	"{'type':'image','source':{'type':'base64','media_type':'image/png" \
	"','data':'" PNG "'}}"
#define GIVEN(blocks) \
	"{'type':'tool_result','tool_use_id':'t','content':[" blocks "]}"

/* Transcripts, and what other agents are given of them, a message a line. */
static const struct {
	const char *lines;
	const char *taken;
} rows[] = {
	/* By the types of attachments. */
	{ SAID("a", "null", "'go'")
		  ATTACHED("b", "'a'", "'type':'date','date':'d'"),
	  ASKED(TEXT("go")) },
	{ SAID("a", "null", "'go'")
		  ATTACHED("b", "'a'", RENDERED("environment", "E")),
	  ASKED(TEXT("go")) },
	{ SAID("a", "null", "'go'")
		  ATTACHED("b", "'a'", RENDERED("invoked_skills", "S")),
	  ASKED(TEXT("go") "," TEXT("S")) },
	{ SAID("a", "null", "'go'") CALLED("b", "'a'") RESULT("c", "'b'", "'r'")
		  ATTACHED("d", "'c'", RENDERED("hook_success", "H")),
	  ASKED(TEXT("go")) "," CALL ","
			    "{'role':'user','content':[" GIVEN(
				    TEXT("r")) "," TEXT("H") "]}" },
	{ SAID("a", "null", "'go'") CALLED_BY("b", "'a'", NEW)
		  RESULT("c", "'b'", "[" TEXT("r") "]")
			  ATTACHED("d", "'c'", RENDERED("hook_success", "H")),
	  ASKED(TEXT("go")) "," CALL ","
			    "{'role':'user','content':[" GIVEN(
				    TEXT("r")) "," TEXT("H") "]}" },
	{ SAID("a", "null", "'go'")
		  ATTACHED("b", "'a'",
			   "'type':'queued_command','prompt':'one\\n\\ntwo'"),
	  ASKED(TEXT("go") "," TEXT("one\\n\\ntwo")) },
	{ SAID("a", "null", "'go'") ATTACHED("b", "'a'",
					     "'type':'queued_command','prompt':"
					     "'x','origin':{'kind':'peer'}"),
	  ASKED(TEXT("go") "," TEXT("Another Claude session sent a message "
				    "while you were working:\\nx")) },
	/* Reminders around texts and results. */
	{ SAID("a", "null", "'" TAGGED("n") "go'"), ASKED(TEXT("go")) },
	{ SAID("a", "null", "'go\\n\\n" TAGGED("n") "\\n" TAGGED("m") "\\n'"),
	  ASKED(TEXT("go")) },
	{ SAID("a", "null", "'see " TAGGED("n") " there'"),
	  ASKED(TEXT("see " TAGGED("n") " there")) },
	{ SAID("a", "null", "'see " TAGGED("n") "'"),
	  ASKED(TEXT("see " TAGGED("n"))) },
	{ SAID("a", "null", "[" TEXT(TAGGED("n")) "," TEXT("go") "]"),
	  ASKED(TEXT("go")) },
	{ SAID("a", "null", "'go'") CALLED("b", "'a'")
		  RESULT("c", "'b'", "'r\\n\\n" TAGGED("n") "'"),
	  ASKED(TEXT("go")) "," CALL "," ASKED(GIVEN(TEXT("r"))) },
	{ SAID("a", "null", "'go'") CALLED("b", "'a'")
		  RESULT("c", "'b'", "[" TEXT("r") "," TEXT(TAGGED("n")) "]"),
	  ASKED(TEXT("go")) "," CALL "," ASKED(GIVEN(TEXT("r"))) },
	{ SAID("a", "null", "'go'") CALLED("b", "'a'")
		  RESULT("c", "'b'", "'" TAGGED("n") "'"),
	  ASKED(TEXT("go")) "," CALL "," ASKED(GIVEN(TEXT("(no output)"))) },
	{ SAID("a", "null", "'go'") META("b", "'a'", "'" TAGGED("n") "'", ""),
	  ASKED(TEXT("go")) },
	/* The agent's own words, and those that it passes on. */
	{ SAID("a", "null", "'go'") META("b", "'a'", "'n'", ",'ownNote':true"),
	  ASKED(TEXT("go")) },
	{ SAID("a", "null", "'go'")
		  META("b", "'a'", "'skill'", ",'sourceToolUseID':'x'"),
	  ASKED(TEXT("go") "," TEXT("skill")) },
	{ SAID("a", "null", "'go'") META("b", "'a'", "'h'", ",'hookText':true"),
	  ASKED(TEXT("go") "," TEXT("The text below is the output of a hook, "
				    "not a message from the user.\\nh")) },
	{ META("a", "null",
	       "'<local-command-caveat>Caveat: x</local-command-caveat>'", "")
		  SAID("b", "'a'", "'<bash-input>ls</bash-input>'"),
	  ASKED(TEXT("<bash-input>ls</bash-input>")) },
	{ LINE("user", "a", "null", "01",
	       ",'origin':{'kind':'task-notification'},'message':{'content':"
	       "'done'}"),
	  ASKED(TEXT("[SYSTEM NOTIFICATION - NOT USER INPUT]\\nThis is an "
		     "automated background-task event, NOT a message from the "
		     "user.\\n\\ndone")) },
};

/* What a form has, without the array around it and without newlines. */
static void add_form(const struct session *s, const char *form, struct buf *out)
{
	unsigned number = 0;
	struct buf whole = { 0 };
	CHECK_INT(as_form_find(&dialect_registry, span_of(form), &number), 0);
	CHECK_INT(as_form_add(s, number, session_at_leaf(s), 1, &whole), 0);
	for (size_t i = 0; i < whole.len; i++) {
		if (whole.data[i] != '\n')
			buf_addc(out, whole.data[i]);
	}
	buf_free(&whole);
}

static void check_taken(void)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct session *s = dialect_session("claude", rows[i].lines);
		struct buf got = { 0 };
		struct buf want = { 0 };
		struct buf quoted = test_quoted(rows[i].taken);
		test_row = rows[i].lines;
		add_form(s, "anthropic.json", &got);
		buf_addf(&want, "[%.*s]", (int)quoted.len, quoted.data);
		CHECK_SPAN(buf_span(&got), buf_span(&want));
		buf_free(&got);
		buf_free(&want);
		buf_free(&quoted);
		session_leave(s);
		session_free(s);
	}
	test_row = NULL;
}

/* Of too many pictures the oldest are left out, and all is taken once. */
static void check_media(void)
{
	struct buf lines = { 0 };
	struct buf got = { 0 };
	buf_adds(&lines, SAID("a", "null", "["));
	lines.len -= strlen("}}\n");
	for (int i = 0; i < 101; i++)
		buf_addf(&lines, "%s%s", i > 0 ? "," : "", PICTURE);
	buf_adds(&lines, "]}}\n" SAID("b", "'a'", "'go'"));
	struct session *s = dialect_session("claude", buf_cstr(&lines));
	add_form(s, "anthropic.json", &got);
	size_t pictures = 0;
	size_t texts = 0;
	for (size_t i = 0; i < got.len; i++) {
		const struct span rest = { got.data + i, got.len - i };
		pictures += span_starts(rest, SPAN("\"image\""));
		texts += span_starts(rest, SPAN("\"go\""));
	}
	CHECK_INT(pictures, 80);
	CHECK_INT(texts, 1);
	buf_free(&lines);
	buf_free(&got);
	session_leave(s);
	session_free(s);
}

/* A turn is said when its first line was. */
static void check_times(void)
{
	struct session *s = dialect_session(
		"claude", SAID("a", "null", "'go'") CALLED("b", "'a'")
				  RESULT("c", "'b'", "'r'"));
	struct conversation c;
	CHECK_INT(conversation_load(&c, s, session_at_leaf(s)), 0);
	CHECK_INT(c.n_turns, 3);
	for (uint32_t i = 0; i < 2 && i < c.n_turns; i++)
		CHECK_INT(c.turns[i].time % 60000, i == 0 ? 1000 : 3000);
	conversation_free(&c);
	session_leave(s);
	session_free(s);
}

static void check_types(void)
{
	static const struct {
		const char *type;
		bool agents;
	} types[] = {
		{ "'date'", true },
		{ "'model'", true },
		{ "'nested_memory'", true },
		{ "'token_usage'", true },
		{ "'skill_listing'", true },
		{ "'plan_mode'", true },
		{ "'future_type'", true },
		{ "5", true },
		{ "'file'", false },
		{ "'directory'", false },
		{ "'queued_command'", false },
		{ "'diagnostics'", false },
		{ "'hook_blocking_error'", false },
		{ "'selected_lines_in_ide'", false },
		{ "'task_status'", false },
		{ "'pdf_reference'", false },
	};
	for (size_t i = 0; i < COUNT(types); i++) {
		struct buf line = { 0 };
		struct buf text = { 0 };
		struct json v;
		buf_addf(&text, "{'attachment':{'type':%s}}", types[i].type);
		line = test_quoted(buf_cstr(&text));
		test_row = types[i].type;
		CHECK_INT(json_check(buf_span(&line), &v), 0);
		CHECK_INT(claude_attachment_is_agents(v), types[i].agents);
		buf_free(&line);
		buf_free(&text);
	}
	test_row = NULL;
}

/* A megabyte of tags takes a moment. */
static void check_cost(void)
{
	static const char *const parts[] = { CLAUDE_OPEN_TAG "\n",
					     CLAUDE_CLOSE_TAG "\n",
					     CLAUDE_OPEN_TAG
					     "\nx\n" CLAUDE_CLOSE_TAG "\n" };
	for (size_t i = 0; i < COUNT(parts); i++) {
		struct buf text = { 0 };
		while (text.len < 1000000)
			buf_adds(&text, parts[i]);
		struct span rest = buf_span(&text);
		CHECK_INT(claude_cut_reminders(&rest), i == 2);
		CHECK_INT(rest.n, i == 2 ? 0 : text.len);
		buf_free(&text);
	}
}

#define PI(id, parent, message)                              \
	"{'type':'message','id':'" id "','parentId':" parent \
	",'timestamp':'2026-03-01T10:00:00.000Z','message':{" message "}}\n"

static const char pi[] =
	"{'type':'session','version':3,'id':'0198f000-0000-7000-8000-00000000"
	"0001','timestamp':'2026-03-01T10:00:00.000Z','cwd':'/w'}\n" PI(
		"00000001", "null",
		"'role':'assistant','content':[{'type':'thinking','thinking':'"
		"hm','thinkingSignature':'s'},{'type':'toolCall','id':'a|b','n"
		"ame':'ré','arguments':{'x':1}},{'type':'toolCall','id':'c','n"
		"ame':'ls','arguments':{}}],'timestamp':1772359201000")
		PI("00000002", "'00000001'",
		   "'role':'toolResult','toolCallId':'c','toolName':'ls','cont"
		   "ent':[{'type':'text','text':'no'},{'type':'image','mimeTyp"
		   "e':'image/png','data':'" PNG
		   "'}],'isError':true,'timestamp':1772359202000")
			PI("00000003", "'00000002'",
			   "'role':'toolResult','toolCallId':'a|b','toolName':'"
			   "ré','content':[{'type':'image','mimeType':'image/p"
			   "ng','data':'" PNG
			   "'}],'isError':false,'timestamp':1772359203000")
				PI("00000004", "'00000003'",
				   "'role':'user','content':'go on','timestamp'"
				   ":1772359204000");

/* What is received is a chain of lines that is read as it was said. */
static void check_received(void)
{
	struct session *s = dialect_session("pi", pi);
	struct buf file = { 0 };
	struct buf again = { 0 };
	unsigned form = 0;
	CHECK_INT(as_form_find(&dialect_registry, SPAN("claude.jsonl"), &form),
		  0);
	CHECK_INT(as_form_add(s, form, session_at_leaf(s), 1, &file), 0);
	CHECK_INT(as_form_add(s, form, session_at_leaf(s), 1, &again), 0);
	CHECK_SPAN(buf_span(&file), buf_span(&again));
	test_put(test_path("r.jsonl"), O_TRUNC, buf_span(&file));
	session_leave(s);
	session_free(s);
	s = dialect_open("r.jsonl", NULL);
	CHECK_SPAN(span_of(s->dialect->name), SPAN("claude"));
	CHECK_INT(s->now.index.n, 8);
	CHECK_INT(session_at_leaf(s), 7);
	dialect_check_problems(s, "");
	struct buf got = { 0 };
	struct buf quoted = test_quoted(
		"[{'role':'user','content':'(continued)'},{'role':'assistant','"
		"content':[" TEXT(
			"hm") ",{'type':'tool_use','id':'call_1','nam"
			      "e':'r_','input':{'x':1}},{'type':'tool_use','"
			      "id':'c','name':'"
			      "ls','input':{}}]},{'role':'user','content':[{'"
			      "type':'tool_resu"
			      "lt','tool_use_id':'call_1','content':[" PICTURE
			      "]}]},{'role':"
			      "'user','content':[{'type':'tool_result','tool_"
			      "use_id':'c','con"
			      "tent':[" TEXT("no") "],'is_error':true}]},{'"
						   "role':'user','cont"
						   "ent':[" PICTURE
						   "]},{'role':'user','content'"
						   ":'go on'}]");
	CHECK_INT(context_add(s, session_at_leaf(s), MESSAGE_FORM_JSON, &again),
		  0);
	for (size_t i = file.len; i < again.len; i++) {
		if (again.data[i] != '\n')
			buf_addc(&got, again.data[i]);
	}
	CHECK_SPAN(buf_span(&got), buf_span(&quoted));
	buf_free(&file);
	buf_free(&again);
	buf_free(&got);
	buf_free(&quoted);
	session_leave(s);
	session_free(s);
}

int main(void)
{
	check_taken();
	check_media();
	check_times();
	check_types();
	check_cost();
	check_received();
	return test_done("claude_as");
}
