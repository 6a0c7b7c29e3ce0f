#include "core/show/touching.h"

#include "core/session/file_name.h"
#include "tests/unit/dialect_test.h"

/* "PATH:NAME=ID" of each touch, as a walk over the folders finds them. */
static void walk(const struct session *s, uint32_t folder, struct buf *out)
{
	struct buf name = { 0 };
	struct touch t;
	struct touch same;
	uint32_t at = 0;
	uint32_t found;
	uint32_t again;
	while (touches_next(s, folder, &at, &name, &t) == 1) {
		touches_add_path(s, folder, out);
		buf_addc(out, ':');
		buf_add(out, buf_span(&name));
		buf_addc(out, '=');
		buf_add(out, test_id(s, t.entry));
		buf_addc(out, '\n');
		CHECK_INT(touches_find(s, folder, buf_span(&name), &same), 0);
		CHECK_INT(same.entry, t.entry);
		CHECK_INT(touches_of_entry(s, t.entry, t.nth, &same), 0);
		CHECK_INT(same.folder, folder);
		CHECK_INT(same.number, t.number);
		buf_clear(&name);
	}
	at = 0;
	while (touches_next_folder(s, folder, &at, &name, &found) == 1) {
		CHECK_INT(
			touches_find_folder(s, folder, buf_span(&name), &again),
			0);
		CHECK_INT(again, found);
		CHECK_INT(touches_find(s, folder, buf_span(&name), &t),
			  -ENOENT);
		buf_clear(&name);
		walk(s, found, out);
	}
	buf_free(&name);
}

static void check(const struct session *s, const char *want)
{
	struct buf got = { 0 };
	struct touch t;
	uint32_t n = 0;
	size_t lines = 0;
	walk(s, TOUCH_ROOT, &got);
	for (size_t i = 0; i < got.len; i++)
		lines += got.data[i] == '\n';
	CHECK_BUF(&got, want);
	while (touches_get(s, n, &t) == 1)
		n++;
	CHECK_INT(n, lines);
	buf_free(&got);
}

/* A session of Pi: the header has the cwd "/w". */
#define PI_HEADER                                                            \
	"{'type':'session','version':3,'id':'s','timestamp':'2026-01-02T03:" \
	"04:05.000Z','cwd':'/w'}\n"
#define CALL(id, name, arguments)                              \
	"{'type':'toolCall','id':'" id "','name':'" name "','" \
	"arguments':" arguments "}"
#define CALLS(id, parent, calls) \
	MESSAGE(id, parent, "assistant", ",'content':[" calls "]")
#define RESULT(id, parent, call, failed)                                    \
	MESSAGE(id, parent, "toolResult",                                   \
		",'toolCallId':'" call "','toolName':'x','isError':" failed \
		",'content':[]")

static void check_pi(void)
{
	struct session *s = dialect_session(
		"pi",
		PI_HEADER USER("a", "null", "x") CALLS(
			"b", "'a'",
			CALL("1", "read", "{'path':'src/wc.c','limit':3}") "," CALL(
				"2", "bash",
				"{'command':'cat x','path':'no'}") "," CALL("3",
									    "ed"
									    "i"
									    "t",
									    "{'"
									    "pa"
									    "th"
									    "':"
									    "'@"
									    "/w"
									    "/s"
									    "rc"
									    "/w"
									    "c."
									    "c'"
									    ",'"
									    "ed"
									    "it"
									    "s'"
									    ":["
									    "]"
									    "}") "," CALL("4",
											  "fetch_it",
											  "{'filename':'../out'}"))
			RESULT("c", "'b'", "1", "false") RESULT("d", "'c'", "3",
								"true")
				CALLS("e", "'d'",
				      CALL("5", "Write", "{'path':'src'}")));
	check(s, "src:0001-write=e\n"
		 "src/wc.c:0001-read=b\n"
		 "src/wc.c:0002-edit-failed=b\n"
		 "/out:0001-touch=b\n");
	/* It grows: the numbers stay, and a result comes late. */
	session_leave(s);
	test_append("s.jsonl",
		    CALLS("f", "'e'", CALL("6", "write", "{'path':'~/n'}"))
			    RESULT("g", "'f'", "5", "true"));
	CHECK_INT(session_enter(s), 0);
	check(s, "src:0001-write-failed=e\n"
		 "src/wc.c:0001-read=b\n"
		 "src/wc.c:0002-edit-failed=b\n"
		 "/out:0001-touch=b\n"
		 "~/n:0001-write=f\n");
	test_close(s);
}

/* Calls that all have one id: the newest is kept, so that none is searched. */
static void check_same_ids(void)
{
	struct session *s = dialect_session(
		"pi",
		PI_HEADER CALLS("b", "null", CALL("1", "read", "{'path':'b'}"))
			RESULT("c", "'b'", "1", "false") CALLS(
				"d", "'c'", CALL("1", "read", "{'path':'d'}"))
				RESULT("e", "'d'", "1", "true") CALLS(
					"f", "'e'",
					CALL("2", "read", "{'path':'f'}"))
					RESULT("g", "'f'", "2", "false"));
	/* The last one names no file, and fails. */
	session_leave(s);
	test_append("s.jsonl",
		    CALLS("h", "'g'", CALL("2", "bash", "{'command':'false'}"))
			    RESULT("i", "'h'", "2", "true"));
	CHECK_INT(session_enter(s), 0);
	struct touching t = { 0 };
	check(s, "b:0001-read=b\n"
		 "d:0001-read-failed=d\n"
		 "f:0001-read=f\n");
	CHECK_INT(touching_begin(&t, s), 0);
	for (uint32_t i = 0; i < s->now.index.n; i++)
		CHECK_INT(touching_add_entry(&t, s, i), 0);
	CHECK_INT(t.n_calls, 2);
	touching_free(&t);
	test_close(s);
}

/* Names that could be those of other things. */
static void check_names(void)
{
	struct session *s = dialect_session(
		"pi", PI_HEADER CALLS(
			      "b", "null",
			      CALL("1", "read", "{'path':'./@/x'}") "," CALL("2", "read", "{'path':'/x'}") "," CALL(
				      "3", "read",
				      "{'path':'0001-read/x'}") "," CALL("4",
									 "read",
									 "{'"
									 "path'"
									 ":'.'"
									 "}") "," CALL("5",
										       "read", "{'path':'./~/x'}") "," CALL("6", "read", "{'path':'/~/x'}") "," CALL("7", "read", "{'path':'~/x'}") "," CALL("8", "read", "{'path':'a\\u0000\\nb'}") "," CALL("9", "read", "{'path':'a%00%0Ab'}") "," CALL("10",
																																					   "read", "{'path':'.git/x'}") "," CALL("11",
																																										 "read",
																																										 "{'path':'\\ud800'}") "," CALL("12",
																																														"read", "{'path':'%ED%A0%80'}") "," CALL("13", "read", "{'path':7}") "," CALL("14",
																																																							      "read",
																																																							      "{}")));
	static const char *const folders[] = {
		"%40",	  "@",	       "%300001-read",
		"%7E",	  "a%00%0Ab",  "a%2500%250Ab",
		"%2Egit", "%ED%A0%80", "%25ED%25A0%2580",
	};
	struct buf name = { 0 };
	uint32_t at = 0;
	uint32_t found;
	for (size_t i = 0; i < COUNT(folders); i++) {
		test_row = folders[i];
		buf_clear(&name);
		CHECK_INT(
			touches_next_folder(s, TOUCH_ROOT, &at, &name, &found),
			1);
		if (i != 2)
			CHECK_BUF(&name, folders[i]);
	}
	test_row = NULL;
	CHECK_INT(touches_next_folder(s, TOUCH_ROOT, &at, &name, &found), 0);
	buf_free(&name);
	struct touch t;
	uint32_t n = 0;
	while (touches_get(s, n, &t) == 1)
		n++;
	CHECK_INT(n, 12);
	struct buf all = { 0 };
	walk(s, TOUCH_ROOT, &all);
	buf_free(&all);
	test_close(s);
}

#define OMP_CALLS(calls) PI_HEADER CALLS("b", "null", calls)

static void check_omp(void)
{
	struct session *s = dialect_session(
		"omp",
		OMP_CALLS(CALL("1", "read", "{'path':'a.c:1-40'}") "," CALL(
			"2", "edit",
			"{'input':'[a.c#1A2B]\\nREM\\n"
			"[b#1A2B]\\nMV c/d\\n'}") "," CALL("3", "edit",
							   "{'path':'e','edits'"
							   ":[{'op':'create'}]"
							   "}") "," CALL("4",
									 "edit",
									 "{'"
									 "path'"
									 ":'e',"
									 "'edit"
									 "s':[{"
									 "'rena"
									 "me':'"
									 "f'}]"
									 "}") "," CALL("5",
										       "read",
										       "{'path':'skill://x'}") "," CALL("6",
															"edit",
															"{'path':'e','old_string':'x'}")));
	check(s, "a.c:0001-read=b\n"
		 "a.c:0002-delete=b\n"
		 "b:0001-move=b\n"
		 "c/d:0001-move=b\n"
		 "e:0001-write=b\n"
		 "e:0002-move=b\n"
		 "e:0003-edit=b\n"
		 "f:0001-move=b\n");
	test_close(s);
}

#define CLAUDE(uuid, parent, role, cwd, content)                              \
	"{'parentUuid':" parent ",'isSidechain':false,'userType':'external'," \
	"'cwd':'" cwd "','sessionId':'s','version':'2.1.0','type':'" role     \
	"','message':{'role':'" role "','content':[" content                  \
	"]},'uuid':'" uuid "','timestamp':'2026-01-02T03:04:05.000Z'}\n"
#define TOOL_USE(id, name, input)                              \
	"{'type':'tool_use','id':'" id "','name':'" name "','" \
	"input':" input "}"

static void check_claude(void)
{
	struct session *s = dialect_session(
		"claude",
		CLAUDE("a", "null", "assistant", "/w",
		       TOOL_USE("1", "Read",
				"{'file_path':'/w/a'}")) CLAUDE("b", "'a'",
								"user", "/w",
								"{'type':'tool_"
								"result','tool_"
								"use_id':'1',"
								"'is_error':"
								"true,'content'"
								":'no'}")
			CLAUDE("c", "'b'", "assistant", "/w/src",
			       TOOL_USE("2", "NotebookEdit", "{'notebook_path':'n.ipynb'}") "," TOOL_USE(
				       "3", "MultiEdit",
				       "{'file_path':'../a'}") "," TOOL_USE("4",
									    "Gr"
									    "e"
									    "p",
									    "{'"
									    "pa"
									    "tt"
									    "er"
									    "n'"
									    ":'"
									    "x'"
									    ",'"
									    "pa"
									    "th"
									    "':"
									    "'/"
									    "w/"
									    "sr"
									    "c'"
									    "}")));
	check(s, "a:0001-read-failed=a\n"
		 "a:0002-edit=c\n"
		 "src:0001-touch=c\n"
		 "src/n.ipynb:0001-edit=c\n");
	test_close(s);
}

/* Lines that do not say the directory come first. */
static void check_late_cwd(void)
{
	static const char call[] =
		CLAUDE("a", "null", "assistant", "/w",
		       TOOL_USE("1", "Read", "{'file_path':'/w/a'}"));
	struct session *s = dialect_session(
		"claude", "{'type':'summary','summary':'x','leafUuid':'u'}\n");
	uint32_t epoch = s->epoch;
	check(s, "");
	session_leave(s);
	test_append("s.jsonl", call);
	CHECK_INT(session_enter(s), 0);
	check(s, "a:0001-read=a\n");
	CHECK_INT(s->epoch, epoch);
	test_close(s);
	/* Folders get other numbers, so that their epoch ends. */
	s = dialect_session(
		"pi", CALLS("b", "null", CALL("1", "read", "{'path':'/w/a'}")));
	epoch = s->epoch;
	check(s, "/w/a:0001-read=b\n");
	session_leave(s);
	test_append("s.jsonl", PI_HEADER);
	CHECK_INT(session_enter(s), 0);
	check(s, "a:0001-read=b\n");
	CHECK(s->epoch != epoch);
	test_close(s);
}

#define CODEX(type, payload)                                    \
	"{'timestamp':'2026-01-02T03:04:05.000Z','type':'" type \
	"','payload':{" payload "}}\n"
#define CODEX_META                                           \
	CODEX("session_meta",                                \
	      "'id':'01a21c65-0ce0-7262-af72-c4278923817c'," \
	      "'timestamp':'2026-01-02T03:04:05.000Z','cwd':'/w'")
#define PATCH_CALL(id, patch)                              \
	CODEX("response_item",                             \
	      "'type':'custom_tool_call','id':'i" id "','" \
	      "call_id':'" id "','name':'apply_patch','input':'" patch "'")
#define SHELL_CALL(id)                                                    \
	CODEX("response_item", "'type':'function_call','id':'i" id "','"  \
			       "call_id':'" id "','name':'exec_command'," \
			       "'arguments':'{}'")
#define ITEM(item) \
	CODEX("event_msg", "'type':'item_completed','item':{" item "}")

#define OUTPUT(id, text)                                        \
	CODEX("response_item",                                  \
	      "'type':'custom_tool_call_output','call_id':'" id \
	      "','output':" text)

/* Results without a note. */
static void check_codex_results(void)
{
	struct session *s = dialect_session(
		"codex",
		CODEX_META PATCH_CALL("1", "*** Add File: a") PATCH_CALL(
			"2", "*** Add File: b") PATCH_CALL("3",
							   "*** Add File: c")
			PATCH_CALL("4", "*** Add File: d") PATCH_CALL(
				"5", "*** Add File: e")
				OUTPUT("1",
				       "'unsupported custom tool call: "
				       "apply_patch'") OUTPUT("2",
							      "'{\\'metadata\\'"
							      ":{\\'exit_"
							      "code\\':1}}'")
					OUTPUT("3", "'{\\'metadata\\':{"
						    "\\'exit_code\\':0}}'")
						OUTPUT("4", "'Exit code: "
							    "1\\nOutput:"
							    "\\n'")
							OUTPUT("5",
							       "'a patch "
							       "rejected'"));
	check(s, "a:0001-write-failed=i1\n"
		 "b:0001-write-failed=i2\n"
		 "c:0001-write=i3\n"
		 "d:0001-write-failed=i4\n"
		 "e:0001-write=i5\n");
	test_close(s);
}

static void check_codex(void)
{
	struct session *s = dialect_session(
		"codex",
		CODEX_META PATCH_CALL(
			"1",
			"*** Begin Patch\\n*** Add File: a\\n+x\\n*** "
			"Update File: b\\n*** Move to: c\\n*** Delete "
			"File: d\\n*** End Patch") ITEM("'type':'FileChange','"
							"id':'1','changes':{'/"
							"w/a':"
							"{'type':'add'}},'"
							"status':'failed'")
			SHELL_CALL("2") SHELL_CALL("3") SHELL_CALL("4")
				ITEM("'type':'CommandExecution','id':'3',"
				     "'cwd':'file:///w/s%20t','parsed_cmd':"
				     "[{'type':'read','path':'e'},{'type':"
				     "'search','path':'f'},{'type':'read',"
				     "'path':'/g'}],'exit_code':0"));
	check(s, "a:0001-write-failed=i1\n"
		 "b:0001-move-failed=i1\n"
		 "c:0001-move-failed=i1\n"
		 "d:0001-delete-failed=i1\n"
		 "s t/e:0001-read=i3\n"
		 "/g:0001-read=i3\n");
	session_leave(s);
	test_append(
		"s.jsonl",
		CODEX("event_msg",
		      "'type':'patch_apply_end','call_id':'4','success':"
		      "false,'changes':{'/w/a':{'type':'update','move_path':"
		      "null},'/w/h':{'type':'update','move_path':'/w/i'}}")
			ITEM("'type':'CommandExecution','id':'none',"
			     "'parsed_cmd':[{'type':'read','path':'e'}]")
				CODEX("event_msg",
				      "'type':'exec_command_end','call_id':"
				      "'2','exit_code':1,'parsed_cmd':[{"
				      "'type':'read','path':'j'}]"));
	CHECK_INT(session_enter(s), 0);
	check(s, "a:0001-write-failed=i1\n"
		 "a:0002-edit-failed=i4\n"
		 "b:0001-move-failed=i1\n"
		 "c:0001-move-failed=i1\n"
		 "d:0001-delete-failed=i1\n"
		 "s t/e:0001-read=i3\n"
		 "/g:0001-read=i3\n"
		 "h:0001-move-failed=i4\n"
		 "i:0001-move-failed=i4\n"
		 "j:0001-read-failed=i2\n");
	test_close(s);
}

int main(void)
{
	check_pi();
	check_same_ids();
	check_names();
	check_omp();
	check_claude();
	check_late_cwd();
	check_codex_results();
	check_codex();
	return test_done("touches");
}
