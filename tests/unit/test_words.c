/* The kind and the words of entries: every tool of every dialect. */
#include "core/show/words.h"

#include "core/base/text.h"
#include "tests/unit/dialect_test.h"

/* What an entry is shown as: "kind  words". */
static void add_row(struct words *w, const struct session *s, uint32_t entry,
		    size_t most, struct buf *out)
{
	struct buf line = { 0 };
	struct json json;
	size_t from;
	CHECK_INT(session_read(s, entry, &line, &json), 0);
	words_add_kind(w, out, json, most);
	buf_adds(out, "  ");
	from = out->len;
	CHECK_INT(words_add(w, out, entry, json, most), 0);
	struct span words = { out->data + from, out->len - from };
	CHECK(columns_of(&w->columns, words) <= most);
	CHECK(text_is_utf8(words));
	for (size_t i = 0; i < words.n; i++)
		CHECK((unsigned char)words.p[i] >= 0x20 && words.p[i] != 0x7F);
	buf_free(&line);
}

static void check_row(const struct session *s, const char *id, size_t most,
		      const char *want)
{
	struct words w;
	struct buf out = { 0 };
	words_begin(&w, s);
	add_row(&w, s, test_find(s, id), most, &out);
	words_end(&w);
	CHECK_BUF(&out, want);
	buf_free(&out);
}

/* Calls. */

#define PI_CALL(name, arguments)                                        \
	HEADER MESSAGE("a", "null", "assistant",                        \
		       ",'content':[{'type':'toolCall','id':'c','name'" \
		       ":'" name "','arguments':" arguments "}]")
#define OMP_CALL(name, arguments) \
	"{'type':'title','v':1,'title':'T'}\n" PI_CALL(name, arguments)
#define API_CALL(name, input)                                                \
	"{'parentUuid':null,'isSidechain':false,'sessionId':'5e55f500-0000-" \
	"4000-8000-000000000001','cwd':"                                     \
	"'/work/demo','type':'assistant','message':{'role':'assistant',"     \
	"'content':[{'type':'tool_use','id':'c','name':'" name               \
	"','input':" input "}]},'uuid':'a','timestamp':'2026-03-01T10:"      \
	"00:00.000Z'}\n"

static const struct {
	const char *lines;
	const char *words;
} calls[] = {
	/* Pi. */
	{ PI_CALL("bash", "{'command':'cc -o wc wc.c','timeout':3}"),
	  "[bash: cc -o wc wc.c]" },
	{ PI_CALL("bash", "{'command':'  cd x &&\\n\\tmake\\n'}"),
	  "[bash: cd x && make]" },
	{ PI_CALL("edit", "{'path':'wc.c','oldText':'a','newText':'b'}"),
	  "[edit: wc.c]" },
	{ PI_CALL("edit", "{'path':'/work/demo/src/wc.c','edits':[]}"),
	  "[edit: src/wc.c]" },
	{ PI_CALL("write", "{'content':'long','path':'/work/demos/wc.c'}"),
	  "[write: /work/demos/wc.c]" },
	{ PI_CALL("read", "{'path':'wc.c'}"), "[read: wc.c]" },
	{ PI_CALL("read", "{'path':'wc.c','offset':1,'limit':40}"),
	  "[read: wc.c:1-40]" },
	{ PI_CALL("read", "{'path':'wc.c','offset':30,'limit':40}"),
	  "[read: wc.c:30-69]" },
	{ PI_CALL("read", "{'path':'wc.c','limit':40}"), "[read: wc.c:1-40]" },
	{ PI_CALL("read", "{'path':'wc.c','offset':30}"), "[read: wc.c:30-]" },
	{ PI_CALL("read", "{'path':'wc.c','offset':-1e99,'limit':'9'}"),
	  "[read: wc.c]" },
	{ PI_CALL("grep", "{'path':'src','pattern':'TODO','limit':5}"),
	  "[grep: TODO]" },
	{ PI_CALL("find", "{'pattern':'*.c','path':'src'}"), "[find: *.c]" },
	{ PI_CALL("ls", "{'path':'src','limit':500}"), "[ls: src]" },
	{ PI_CALL("ls", "{}"), "[ls]" },
	/* Unknown tools. */
	{ PI_CALL("deploy", "{'n':1,'to':'','where':'staging','x':'y'}"),
	  "[deploy: staging]" },
	{ PI_CALL("deploy", "{'n':1,'l':['a']}"), "[deploy]" },
	{ PI_CALL("deploy", "null"), "[deploy]" },
	{ PI_CALL("deploy", "'text'"), "[deploy: text]" },
	{ PI_CALL("\\u001b[1mx\\ny", "{'a':'\\u0000\\u009b2Jz'}"), "[x y: z]" },
	/* Of the same names the last one counts. */
	{ PI_CALL("bash", "{'command':'a','command':'b'}"), "[bash: b]" },
	/* oh-my-pi. */
	{ OMP_CALL("bash", "{'i':'Compiling','command':'make'}"),
	  "[bash: make]" },
	{ OMP_CALL("read", "{'i':'Reading','path':'wc.c:1-40'}"),
	  "[read: wc.c:1-40]" },
	{ OMP_CALL("edit", "{'input':'[src/wc.c#1A2B]\\nPUT 3.=3:\\n+x'}"),
	  "[edit: src/wc.c]" },
	{ OMP_CALL("edit", "{'input':'*** Begin Patch\\n*** Update File: "
			   "/work/demo/wc.c\\n@@'}"),
	  "[edit: wc.c]" },
	{ OMP_CALL("edit", "{'path':'wc.c','old_string':'a'}"),
	  "[edit: wc.c]" },
	{ OMP_CALL("grep", "{'pattern':'TODO','path':'src'}"), "[grep: TODO]" },
	{ OMP_CALL("glob", "{'i':'Looking','path':'src/**/*.c'}"),
	  "[glob: src/**/*.c]" },
	{ OMP_CALL("ast_grep", "{'pat':'f($A)','path':'src'}"),
	  "[ast_grep: f($A)]" },
	{ OMP_CALL("eval", "{'language':'py','code':'1+1\\n2'}"),
	  "[eval: 1+1 2]" },
	{ OMP_CALL("eval", "{'language':'py','title':'imports','code':'x'}"),
	  "[eval: imports]" },
	{ OMP_CALL("web_search", "{'query':'fuse'}"), "[web_search: fuse]" },
	{ OMP_CALL("task", "{'agent':'task','task':'Look at it'}"),
	  "[task: Look at it]" },
	{ OMP_CALL("hub", "{'i':'Asking','op':'send','to':'x'}"),
	  "[hub: send]" },
	{ OMP_CALL("todo", "{'i':'Planning','ops':[]}"), "[todo]" },
	/* The words of a command, as Codex has them. */
	{ PI_CALL("shell", "{'command':['wc','-w','a b']}"),
	  "[shell: wc -w a b]" },
	{ PI_CALL("shell", "{'command':['bash','-lc','make | tail']}"),
	  "[shell: make | tail]" },
	{ PI_CALL("shell", "{'command':['bash','-c']}"), "[shell: bash -c]" },
	{ PI_CALL("shell", "{'command':[5]}"), "[shell]" },
	{ PI_CALL("apply_patch", "'*** Begin Patch\\n*** Add File: wc.c\\n+x'"),
	  "[apply_patch: wc.c]" },
	{ PI_CALL("apply_patch",
		  "{'input':'*** Begin Patch\\n*** Add File: a.c\\n+x\\n*** "
		  "Delete File: b.c\\n*** End Patch\\n*** Add File: c.c'}"),
	  "[apply_patch: a.c, b.c]" },
	{ PI_CALL("exec_command",
		  "{'cmd':'cd src && apply_patch <<EOF\\n*** Begin Patch\\n*** "
		  "Update File: /work/demo/wc.c\\n@@\\n*** End Patch\\nEOF'}"),
	  "[exec_command: cd src && apply_patch wc.c]" },
	{ PI_CALL("shell", "{'command':['apply_patch','*** Begin Patch\\n*** "
			   "Update File: wc.c\\n@@\\n*** End Patch']}"),
	  "[shell: apply_patch wc.c]" },
	{ PI_CALL("exec_command", "{'cmd':'apply_patch --help'}"),
	  "[exec_command: apply_patch --help]" },
	/* Claude Code. */
	{ API_CALL("Bash", "{'description':'Compile','command':'make'}"),
	  "[Bash: make]" },
	{ API_CALL("Read", "{'file_path':'/work/demo/wc.c','offset':1,"
			   "'limit':40}"),
	  "[Read: wc.c:1-40]" },
	{ API_CALL("Edit", "{'file_path':'/work/demo/wc.c','old_string':'a',"
			   "'new_string':'b','replace_all':false}"),
	  "[Edit: wc.c]" },
	{ API_CALL("Write", "{'file_path':'/etc/x','content':'c'}"),
	  "[Write: /etc/x]" },
	{ API_CALL("NotebookEdit", "{'notebook_path':'n.ipynb',"
				   "'new_source':'x'}"),
	  "[NotebookEdit: n.ipynb]" },
	{ API_CALL("Grep", "{'pattern':'a|b','path':'src'}"), "[Grep: a|b]" },
	{ API_CALL("Glob", "{'pattern':'**/*.c'}"), "[Glob: **/*.c]" },
	{ API_CALL("Task", "{'subagent_type':'x','description':'Find it',"
			   "'prompt':'long'}"),
	  "[Task: Find it]" },
	{ API_CALL("Agent", "{'description':'Find it','prompt':'long'}"),
	  "[Agent: Find it]" },
	{ API_CALL("WebFetch", "{'url':'http://x/y','prompt':'sum up'}"),
	  "[WebFetch: http://x/y]" },
	{ API_CALL("WebSearch", "{'query':'fuse'}"), "[WebSearch: fuse]" },
	{ API_CALL("Skill", "{'skill':'pdf','args':'x'}"), "[Skill: pdf]" },
	{ API_CALL("BashOutput", "{'bash_id':'b1'}"), "[BashOutput: b1]" },
	{ API_CALL("TodoWrite", "{'todos':[{'content':'x'}]}"), "[TodoWrite]" },
	{ API_CALL("mcp__fs__list", "{'dir':'/x'}"), "[mcp__fs__list: /x]" },
};

static void check_calls(void)
{
	for (size_t i = 0; i < COUNT(calls); i++) {
		struct buf want = { 0 };
		test_row = calls[i].lines;
		struct session *s = dialect_session(NULL, calls[i].lines);
		buf_addf(&want, "assistant  %s", calls[i].words);
		check_row(s, "a", 100, buf_cstr(&want));
		buf_free(&want);
		test_close(s);
	}
	test_row = NULL;
}

/* A long string of an unknown name is no telling argument. */
static void check_long_argument(void)
{
	struct buf b = { 0 };
	buf_adds(&b, HEADER
		 "{'type':'message','id':'a','parentId':null,'message':"
		 "{'role':'assistant','content':[{'type':'toolCall','name':"
		 "'put','arguments':{'body':'");
	buf_fill(&b, 'x', 300);
	buf_adds(&b, "','to':'there'}}]}}\n");
	struct session *s = dialect_session(NULL, buf_cstr(&b));
	check_row(s, "a", 100, "assistant  [put: there]");
	test_close(s);
	buf_free(&b);
}

/* Results. */

#define CALL(id, name, arguments)                        \
	"{'type':'toolCall','id':'" id "','name':'" name \
	"','arguments':" arguments "}"
#define CALLS(id, parent, calls) \
	MESSAGE(id, parent, "assistant", ",'content':[" calls "]")
#define RESULT(id, parent, call, rest)    \
	MESSAGE(id, parent, "toolResult", \
		",'toolCallId':'" call "','toolName':'tool'" rest)
#define SAYS(text) ",'content':[{'type':'text','text':'" text "'}]"

static const char pi_results[] = HEADER CALLS(
	"a", "null",
	CALL("c1", "bash", "{'command':'make'}") "," CALL(
		"c2", "read", "{'path':'x'}") "," CALL("c3", "ls", "{}"))
	RESULT("r1", "'a'", "c1", SAYS("all\\nbuilt") ",'isError':false")
		RESULT("r2", "'r1'", "c2",
		       SAYS("no such file") ",'isError':true")
			ENTRY("label", "l", "'r2'",
			      ",'targetId':'r2','label':'x'")
				RESULT("r3", "'l'", "c3",
				       SAYS("") ",'isError':true")
					RESULT("r4", "'r3'", "c9",
					       SAYS("who asked"))
						MESSAGE("r5", "'r4'",
							"toolResult",
							SAYS("no names"))
	/* Another branch; and one that did not make the call. */
	RESULT("r6", "'a'", "c1", ",'content':[{'type':'image'}]")
		USER("u", "null", "hi")
			RESULT("r7", "'u'", "c1", SAYS("of the other branch"))
	/* Ids are made again. */
	CALLS("b", "'r7'", CALL("c1", "bash", "{'command':'again'}"))
		RESULT("r8", "'b'", "c1", ",'content':'text'");

static void check_pi_results(void)
{
	struct session *s = dialect_session(NULL, pi_results);
	check_row(s, "a", 100, "assistant  [bash: make] [read: x] [ls]");
	check_row(s, "r1", 100, "toolResult  [bash: make] all built");
	check_row(s, "r2", 100, "toolResult  [read: x] error: no such file");
	check_row(s, "r3", 100, "toolResult  [ls] error");
	check_row(s, "r4", 100, "toolResult  [tool] who asked");
	check_row(s, "r5", 100, "toolResult  no names");
	check_row(s, "r6", 100, "toolResult  [bash: make] [picture]");
	check_row(s, "r7", 100, "toolResult  [tool] of the other branch");
	check_row(s, "r8", 100, "toolResult  [bash: again] text");
	test_close(s);
}

#define API(type, id, parent, content)                                        \
	"{'parentUuid':" parent ",'isSidechain':false,'sessionId':'5e55f500-" \
	"0000-4000-8000-000000000001',"                                       \
	"'cwd':'/work/demo','type':'" type "','message':{'role':'" type       \
	"','content':" content "},'uuid':'" id "','timestamp':'2026-03-01T"   \
	"10:00:00.000Z'}\n"
#define USES(id, name, input) \
	"{'type':'tool_use','id':'" id "','name':'" name "','input':" input "}"
#define GIVES(id, rest) "{'type':'tool_result','tool_use_id':'" id "'" rest "}"

/* A response has a line for each block; results may share a line. */
static const char api_results[] = API("user", "u", "null", "'do it'") API(
	"assistant", "t", "'u'",
	"[{'type':'thinking','thinking':'Hm'}]") API("assistant", "a1", "'t'",
						     "[" USES("c1", "Bash",
							      "{'command':'"
							      "make'}") "]")
	API("assistant", "a2", "'a1'",
	    "[" USES("c2", "Read", "{'file_path':'/work/demo/x'}") "]")
		API("user", "r1", "'a2'",
		    "[" GIVES(
			    "c1",
			    ",'content':'built'") "]") API("user", "r2", "'r1'",
							   "[" GIVES(
								   "c2",
								   ",'content':"
								   "[{'type':'"
								   "text','"
								   "text':'"
								   "gone'}],"
								   "'is_error':"
								   "true") "]")
			API("user", "r3", "'r2'",
			    "[" GIVES("c1", ",'content':'one'") "," GIVES(
				    "c2", ",'content':'two'") "]")
				API("user", "r4", "'r3'",
				    "[" GIVES(
					    "c1",
					    "") "]") API("user", "r5", "'r4'",
							 "[" GIVES(
								 "c9",
								 ",'content':'"
								 "lost'") "]")
					API("user", "r6", "'r5'",
					    "[" GIVES(
						    "c1",
						    ",'content':''") ","
								     "{'type':'"
								     "text','"
								     "text':'["
								     "Request "
								     "interrupt"
								     "ed]'}]")
						API("user", "u2", "'r6'",
						    "[{'type':'text','text':'"
						    "mine'},{'type':'image'}]");

static void check_api_results(void)
{
	struct session *s = dialect_session("claude", api_results);
	check_row(s, "u", 100, "user  do it");
	check_row(s, "t", 100, "assistant  [thinking] Hm");
	check_row(s, "a1", 100, "assistant  [Bash: make]");
	check_row(s, "r1", 100, "toolResult  [Bash: make] built");
	check_row(s, "r2", 100, "toolResult  [Read: x] error: gone");
	check_row(s, "r3", 100, "toolResult  [Bash: make] [Read: x] one two");
	check_row(s, "r4", 100, "toolResult  [Bash: make]");
	check_row(s, "r5", 100, "toolResult  lost");
	check_row(s, "r6", 100,
		  "toolResult  [Bash: make] [Request interrupted]");
	check_row(s, "u2", 100, "user  mine [picture]");
	/* The role is what the file says. */
	struct buf meta = { 0 };
	CHECK_INT(meta_add(s, test_find(s, "r1"), &meta), 0);
	buf_cstr(&meta);
	CHECK(strstr(meta.data, "\nrole: user\n") != NULL);
	buf_free(&meta);
	test_close(s);
}

/* Entries without calls. */

#define THINK(text) "{'type':'thinking','thinking':'" text "'}"

static const struct {
	const char *line;
	const char *want;
} others[] = {
	{ USER("a", "null", "list\\n the\\u0000 files"),
	  "user  list the files" },
	{ USER("a", "null",
	       "\\u001b[42;30m PASS \\u001b[m\\u001b]0;t\\u0007 wc"),
	  "user  PASS wc" },
	{ MESSAGE("a", "null", "assistant",
		  ",'content':[" THINK("Let me\\nsee") "]"),
	  "assistant  [thinking] Let me see" },
	{ MESSAGE("a", "null", "assistant", ",'content':[" THINK("") "]"),
	  "assistant  [thinking]" },
	{ MESSAGE("a", "null", "assistant",
		  ",'content':[" THINK(
			  "Hm") ",{'type':'text','text':'Done.'}]"),
	  "assistant  Done." },
	{ MESSAGE("a", "null", "assistant",
		  ",'content':[" THINK("Hm") "," CALL("c", "ls", "{}") "]"),
	  "assistant  [ls]" },
	{ MESSAGE("a", "null", "assistant",
		  ",'content':[],'stopReason':'aborted'"),
	  "assistant  aborted" },
	{ MESSAGE("a", "null", "assistant",
		  ",'content':[],'stopReason':'error','errorMessage':'529 "
		  "overloaded'"),
	  "assistant  error: 529 overloaded" },
	{ MESSAGE("a", "null", "assistant", ",'content':[]"), "assistant  " },
	{ MESSAGE("a", "null", "system", ",'content':'You are Pi.\\nHelp.'"),
	  "system  You are Pi. Help." },
	{ MESSAGE("a", "null", "bashExecution",
		  ",'command':'make','output':'x','exitCode':0"),
	  "bashExecution  $ make" },
	{ MESSAGE("a", "null", "bashExecution",
		  ",'command':'make','output':'x','exitCode':2"),
	  "bashExecution  $ make (exit 2)" },
	{ MESSAGE("a", "null", "bashExecution",
		  ",'command':'make','output':'','cancelled':true"),
	  "bashExecution  $ make (cancelled)" },
	{ MESSAGE("a", "null", "pythonExecution",
		  ",'code':'1\\n+1','output':'2','exitCode':1"),
	  "pythonExecution  >>> 1 +1 (exit 1)" },
	{ ENTRY("compaction", "a", "null",
		",'summary':'So far.','tokensBefore':1234567"),
	  "compaction  [1,234,567 tokens] So far." },
	{ ENTRY("compaction", "a", "null", ",'summary':'','tokensBefore':999"),
	  "compaction  [999 tokens]" },
	{ ENTRY("compaction", "a", "null",
		",'summary':'x','tokensBefore':'\\u001bmany'"),
	  "compaction  x" },
	{ ENTRY("compaction", "a", "null",
		",'summary':'x','tokensBefore':1e300"),
	  "compaction  x" },
	{ ENTRY("branch_summary", "a", "null", ",'summary':'It failed.'"),
	  "branch_summary  It failed." },
	{ ENTRY("model_change", "a", "null", ",'provider':'p','modelId':'m'"),
	  "model_change  p/m" },
	{ ENTRY("thinking_level_change", "a", "null",
		",'thinkingLevel':'high'"),
	  "thinking_level_change  high" },
	{ ENTRY("custom", "a", "null", ",'customType':'ext'"), "custom  ext" },
	{ ENTRY("new", "a", "null", ""), "new  " },
};

/* Of a user's, what a person typed, or else what the agent put. */
static const struct {
	const char *line;
	const char *want;
} typed[] = {
	{ API("user", "a", "null", "'<tick>10:00</tick>'"),
	  "user  [tick] 10:00" },
	{ API("user", "a", "null",
	      "[{'type':'text','text':'<ide_selection>int "
	      "a;</ide_selection>'},{'type':'text','text':'why'},{'type':"
	      "'text','text':'blue'}]"),
	  "user  why blue" },
	{ API("user", "a", "null",
	      "[{'type':'text','text':'<tick>10:00</tick>'},{'type':'text',"
	      "'text':'<tick>11:00</tick>'}]"),
	  "user  [tick] 10:00 [tick] 11:00" },
	{ API("user", "a", "null",
	      "[{'type':'text','text':'<ide_selection>x</ide_selection>'},"
	      "{'type':'image'}]"),
	  "user  [picture]" },
	{ API("user", "a", "null",
	      "'<system-reminder>x</system-reminder>'},'isMeta':true,'x':{'y'"
	      ":1"),
	  "user  [system-reminder] x" },
	{ API("assistant", "a", "null", "'<tick>10:00</tick>'"),
	  "assistant  <tick>10:00</tick>" },
	{ API("user", "a", "null",
	      "[" GIVES("c", ",'content':'<tick>x</tick>'") "]"),
	  "toolResult  <tick>x</tick>" },
};

static void check_typed(void)
{
	for (size_t i = 0; i < COUNT(typed); i++) {
		test_row = typed[i].line;
		struct session *s = dialect_session("claude", typed[i].line);
		check_row(s, "a", 100, typed[i].want);
		test_close(s);
	}
	test_row = NULL;
}

static void check_others(void)
{
	for (size_t i = 0; i < COUNT(others); i++) {
		struct buf b = { 0 };
		test_row = others[i].line;
		buf_adds(&b, HEADER);
		buf_adds(&b, others[i].line);
		struct session *s = dialect_session(NULL, buf_cstr(&b));
		check_row(s, "a", 100, others[i].want);
		test_close(s);
		buf_free(&b);
	}
	test_row = NULL;
}

/*
 * An id that is too long is not found: the result has the name of its own
 * tool.
 */
static void check_limits(void)
{
	struct session *s;
	struct buf b = { 0 };
	char id[CALL_ID_BYTES + 1];
	for (int more = 0; more < 2; more++) {
		int n = CALL_ID_BYTES - 2 + more;
		snprintf(id, sizeof(id), "%0*d", n, 1);
		buf_clear(&b);
		buf_adds(&b, HEADER);
		buf_addf(&b,
			 MESSAGE("a", "null", "assistant",
				 ",'content':[" CALL("%s", "bash",
						     "{'command':'ls'}") "]")
				 RESULT("r", "'a'", "%s", SAYS("done")),
			 id, id);
		s = test_session(buf_cstr(&b));
		check_row(s, "r", 100,
			  more ? "toolResult  [tool] done"
			       : "toolResult  [bash: ls] done");
		test_close(s);
	}
	buf_free(&b);
}

#define CODEX_META                                                           \
	"{'timestamp':'2026-03-01T10:00:00.000Z','type':'session_meta',"     \
	"'payload':{'id':'5e55f500-0000-4000-8000-000000000001','timestamp'" \
	":'2026-03-01T10:00:00.000Z','cwd':'/work','originator':'x',"        \
	"'cli_version':'0.171.0','source':'cli'}}\n"
#define CODEX_ITEM(rest)                                                  \
	"{'timestamp':'2026-03-01T10:00:00.000Z','type':'response_item'," \
	"'payload':{" rest "}}\n"
#define CODEX_CALL                                                          \
	CODEX_ITEM("'type':'function_call','name':'exec_command','call_id'" \
		   ":'c','arguments':'{\\'cmd\\':\\'make\\'}'")
#define CODEX_OUTPUT(output)                                              \
	CODEX_ITEM("'type':'function_call_output','call_id':'c','output'" \
		   ":" output)

/* What Codex writes before an output. */
static void check_headings(void)
{
	static const struct {
		const char *output;
		const char *want;
	} rows[] = {
		{ "'Chunk ID: 3f2a91\\nWall time: 0.0512 seconds\\nProcess "
		  "exited with code 0\\nOriginal token count: 12\\nOutput:\\n"
		  "built'",
		  "toolResult  [exec_command: make] built" },
		{ "'Chunk ID: 3f2a91\\nWall time: 0.0512 seconds\\nProcess "
		  "exited with code 2\\nOutput:\\nno rule'",
		  "toolResult  [exec_command: make] error: no rule" },
		{ "'Exit code: 1\\nWall time: 0.1 seconds\\nTotal output "
		  "lines: 1\\nOutput:\\nno rule'",
		  "toolResult  [exec_command: make] error: no rule" },
		{ "[{'type':'input_text','text':'Exit code: 0\\nOutput:\\n'},"
		  "{'type':'input_text','text':'done'}]",
		  "toolResult  [exec_command: make] done" },
		{ "'Chunk ID: x\\nand more\\nOutput:\\nz'",
		  "toolResult  [exec_command: make] Chunk ID: x and more "
		  "Output: z" },
		{ "'Output:\\nz'",
		  "toolResult  [exec_command: make] Output: z" },
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct words w;
		struct buf b = { 0 };
		buf_adds(&b, CODEX_META CODEX_CALL);
		buf_addf(&b, CODEX_OUTPUT("%s"), rows[i].output);
		test_row = rows[i].output;
		struct session *s = dialect_session("codex", buf_cstr(&b));
		buf_clear(&b);
		words_begin(&w, s);
		add_row(&w, s, 1, 100, &b);
		CHECK_INT(w.failed, strstr(rows[i].want, "error") != NULL);
		words_end(&w);
		CHECK_BUF(&b, rows[i].want);
		test_close(s);
		buf_free(&b);
	}
	test_row = NULL;
}

/* Colors take no room from the words, and a cut leaves nothing of them. */
static void check_colors(void)
{
	struct buf b = { 0 };
	buf_adds(&b, HEADER "{'type':'message','id':'a','parentId':null,"
			    "'message':{'role':'user','content':'");
	for (int i = 0; i < 60; i++)
		buf_adds(&b, "\\u001b[38;5;196mx\\u001b[0m");
	buf_adds(&b, "'}}\n");
	struct session *s = test_session(buf_cstr(&b));
	check_row(s, "a", 8, "user  xxxxxxx…");
	check_row(s, "a", 60,
		  "user  xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
		  "xxxxxxx");
	test_close(s);
	buf_free(&b);
}

/* Two spaces end the kind, so none of its own may stand before them. */
static void check_kind(void)
{
	struct session *s = test_session(
		HEADER MESSAGE("a", "null", "user\\n", SAYS("hi")));
	struct buf out = { 0 };
	CHECK_INT(words_add_line(s, 0, &out), 0);
	CHECK_BUF(&out, "user  hi\n");
	test_close(s);
	buf_free(&out);
}

static void check_claude_compaction(void)
{
	struct session *s = dialect_session(
		"claude",
		"{'parentUuid':null,'logicalParentUuid':null,'type':'system',"
		"'subtype':'compact_boundary','content':'Conversation "
		"compacted','compactMetadata':{'trigger':'auto','preTokens':"
		"155000},'sessionId':'5e55f500-0000-4000-8000-000000000001','"
		"uuid':'a','timestamp':"
		"'2026-03-01T10:00:00.000Z'}\n"
		"{'parentUuid':'a','type':'user','isCompactSummary':true,"
		"'message':{'role':'user','content':'This session is being "
		"continued'},'sessionId':'5e55f500-0000-4000-8000-000000000001'"
		",'uuid':'b','timestamp':"
		"'2026-03-01T10:00:01.000Z'}\n");
	check_row(s, "a", 100,
		  "system  [155,000 tokens] Conversation compacted");
	/* No person wrote the message that the agent begins again with. */
	check_row(s, "b", 100, "compaction  This session is being continued");
	test_close(s);
}

/* Cutting. */

static const char wide[] =
	HEADER MESSAGE("a", "null", "assistant",
		       ",'content':[{'type':'text','text':'I will "
		       "compile it and then look "
		       "at what is wrong with the numbers'}," CALL(
			       "c1", "bash",
			       "{'command':'cc -Wall -Wextra -o wc "
			       "wc.c'}") "," CALL("c2", "read",
						  "{'path'"
						  ":'wc."
						  "c'}") "]")
		RESULT("r", "'a'", "c1",
		       SAYS("wc.c:3: expected a semicolon before the "
			    "brace") ",'isError'"
				     ":true");

static void check_cuts(void)
{
	struct session *s = dialect_session(NULL, wide);
	check_row(s, "a", 200,
		  "assistant  I will compile it and then look at what is wrong "
		  "with the numbers [bash: cc -Wall -Wextra -o wc wc.c] "
		  "[read: wc.c]");
	check_row(s, "a", 60,
		  "assistant  I will compile it and … "
		  "[bash: cc -Wall -Wext…] [read: wc.c]");
	check_row(s, "a", 40,
		  "assistant  I will compile it and the… [bash] [read]");
	check_row(s, "a", 20, "assistant  I will co… [bash] +1");
	check_row(s, "a", 12, "assistant  [bash] +1");
	check_row(s, "r", 60,
		  "toolResult  [bash: cc -Wall -Wextra -o w…] error: "
		  "wc.c:3: expected a se…");
	check_row(s, "r", 30, "toolResult  [bash: cc …] error: wc.c:3: e…");
	check_row(s, "r", 12, "toolResult  [bash] error");
	test_close(s);
}

/* Whatever there is to say, it takes at most so many columns. */
static void check_widths(const struct session *s)
{
	struct words w;
	struct buf out = { 0 };
	words_begin(&w, s);
	for (uint32_t i = 0; i < s->now.index.n; i++) {
		for (size_t most = 12; most < 90; most++)
			add_row(&w, s, i, most, &out);
		buf_clear(&out);
	}
	words_end(&w);
	buf_free(&out);
}

static void check_hostile(void)
{
	struct buf b = { 0 };
	buf_adds(&b, HEADER);
	buf_adds(&b, "{'type':'message','id':'a','parentId':null,'message':{"
		     "'role':'assistant','content':[{'type':'text','text':'");
	for (int i = 0; i < 50; i++)
		buf_adds(&b, "\xE6\xBC\xA2 e\xCC\x81 \\ud83d ");
	buf_adds(&b, "'}");
	for (int i = 0; i < 300; i++)
		buf_addf(&b,
			 ",{'type':'toolCall','id':'%d','name':'\xE6\xBC\xA2%"
			 "0*d','arguments':{'command':'\xE6\xBC\xA2\xE6\xBC"
			 "\xA2 \\ud83d x'}}",
			 i, i % 70, i);
	buf_adds(&b, "]}}\n");
	for (int i = 0; i < 300; i += 7)
		buf_addf(
			&b,
			"{'type':'message','id':'r%d','parentId':'a','message'"
			":{'role':'toolResult','toolCallId':'%d','toolName':'\\"
			"ud83d%0*d','isError':true,'content':[{'type':'text',"
			"'text':'x y'}]}}\n",
			i, i, i % 70, i);
	struct session *s = dialect_session(NULL, buf_cstr(&b));
	check_widths(s);
	test_close(s);
	buf_free(&b);
}

/*
 * The words do not depend on what was asked before: with and without a memory,
 * in every order. 200 results in a row, the last of which are too far below.
 */
static void check_memory(void)
{
	struct buf b = { 0 };
	struct buf alone = { 0 };
	struct buf all = { 0 };
	struct words w;
	buf_adds(&b, HEADER CALLS("n0", "null",
				  CALL("c", "bash", "{'command':'make'}")));
	for (int i = 1; i <= 200; i++)
		buf_addf(&b,
			 "{'type':'message','id':'n%d','parentId':'n%d',"
			 "'message':{'role':'toolResult','toolCallId':'c',"
			 "'toolName':'bash','content':'x'}}\n",
			 i, i - 1);
	struct session *s = dialect_session(NULL, buf_cstr(&b));
	words_begin(&w, s);
	for (uint32_t k = 0; k < 2 * s->now.index.n; k++) {
		uint32_t i =
			k < s->now.index.n ? k : 2 * s->now.index.n - 1 - k;
		const char *want = i == 0 ? "assistant  [bash: make]"
				   : i <= CALLS_ABOVE
					   ? "toolResult  [bash: make] x"
					   : "toolResult  [bash] x";
		struct words fresh;
		words_begin(&fresh, s);
		add_row(&fresh, s, i, 100, &alone);
		words_end(&fresh);
		CHECK_BUF(&alone, want);
		add_row(&w, s, i, 100, &all);
		CHECK_BUF(&all, want);
	}
	words_end(&w);
	test_close(s);
	buf_free(&b);
	buf_free(&alone);
	buf_free(&all);
}

/* A result below a line of many megabytes does not read it for its call. */
static void check_large(void)
{
	struct buf b = { 0 };
	buf_adds(&b, HEADER CALLS("a", "null", CALL("c", "ls", "{}")));
	buf_adds(&b, "{'type':'message','id':'b','parentId':'a','message':{"
		     "'role':'user','content':'");
	buf_fill(&b, 'x', CALLS_BYTES);
	buf_adds(&b, "'}}\n" RESULT("r", "'b'", "c", SAYS("x"))
			     RESULT("q", "'a'", "c", SAYS("x")));
	struct session *s = dialect_session(NULL, buf_cstr(&b));
	check_row(s, "r", 100, "toolResult  [tool] x");
	check_row(s, "q", 100, "toolResult  [ls] x");
	test_close(s);
	buf_free(&b);
}

int main(void)
{
	check_calls();
	check_long_argument();
	check_pi_results();
	check_api_results();
	check_others();
	check_typed();
	check_limits();
	check_headings();
	check_colors();
	check_kind();
	check_claude_compaction();
	check_cuts();
	check_hostile();
	check_memory();
	check_large();
	return test_done("words");
}
