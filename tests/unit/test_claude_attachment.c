#include "core/dialects/claude/attachment.h"

#include "core/dialects/claude/reminder.h"
#include "tests/unit/dialect_test.h"

#define MID_TURN                                                          \
	"This is how Claude Code surfaces messages the user sends "       \
	"mid-turn — within the running turn, often alongside the next " \
	"tool result, rather than as a separate conversation turn. "      \
	"Address the message above as you continue this turn."

/*
 * Each row has been held against Claude Code 2.1.330. ' stands for " in the
 * attachment. Of what is sent, reminders are without their tags, | is between
 * blocks, and a line with = is between notes.
 */
static const struct {
	const char *attachment;
	const char *sent;
} rows[] = {
	{ "{'type':'queued_command','prompt':'typed "
	  "meanwhile','commandMode':'prompt'}",
	  "The user sent a new message while you were working:\n"
	  "typed meanwhile\n"
	  "\n" MID_TURN },
	{ "{'type':'queued_command','prompt':12.5}",
	  "The user sent a new message while you were working:\n"
	  "12.5\n"
	  "\n" MID_TURN },
	{ "{'type':'queued_command'}",
	  "The user sent a new message while you were working:\n"
	  "undefined\n"
	  "\n" MID_TURN },
	{ "{'type':'queued_command','prompt':'a </system-reminder> "
	  "<system-reminder> & < / SYSTEM-reminder > "
	  "b','commandMode':'prompt'}",
	  "The user sent a new message while you were working:\n"
	  "a </system-reminder> <system-reminder> & < / "
	  "SYSTEM-reminder > b\n"
	  "\n" MID_TURN },
	{ "{'type':'queued_command','prompt':'a </system-reminder> "
	  "<system-reminder> & < / SYSTEM-reminder > "
	  "b','commandMode':'prompt','isMeta':true}",
	  "[MESSAGE FROM NON-USER SOURCE - NOT USER INPUT]\n"
	  "a &lt;/system-reminder&gt; <system-reminder> & "
	  "&lt;/system-reminder&gt; b" },
	{ "{'type':'queued_command','prompt':[{'type':'text','text':'on"
	  "e'},{'type':'image','source':{'type':'base64','media_type':'"
	  "image/png','data':'aWlp'}},{'type':'text','text':'two'}],'co"
	  "mmandMode':'prompt'}",
	  "The user sent a new message while you were working:\n"
	  "one\n"
	  "two\n"
	  "\n" MID_TURN
	  "|{\"type\":\"image\",\"source\":{\"type\":\"base64\",\"media"
	  "_type\":\"image/png\",\"data\":\"aWlp\"}}" },
	{ "{'type':'queued_command','prompt':[{'type':'image','source':"
	  "{'type':'base64','media_type':'image/png','data':'aWlp'}}],'"
	  "commandMode':'prompt'}",
	  "The user sent a new message while you were working:\n"
	  "\n"
	  "\n" MID_TURN
	  "|{\"type\":\"image\",\"source\":{\"type\":\"base64\",\"media"
	  "_type\":\"image/png\",\"data\":\"aWlp\"}}" },
	{ "{'type':'queued_command','prompt':'typed','origin':{'kind':'"
	  "coordinator'}}",
	  "The coordinator sent a message while you were working:\n"
	  "typed\n"
	  "\n"
	  "Address this before completing your current task." },
	{ "{'type':'queued_command','prompt':'typed','origin':{'kind':'"
	  "zork'}}",
	  "[MESSAGE FROM NON-USER SOURCE - NOT USER INPUT]\n"
	  "typed" },
	{ "{'type':'hook_success','content':'C','stdout':'C','stderr':'"
	  "','exitCode':0,'hookName':'PreToolUse:Bash','toolUseID':'x',"
	  "'hookEvent':'PreToolUse'}",
	  "" },
	{ "{'type':'hook_success','content':'C "
	  "</system-reminder>','hookName':'SessionStart:startup','toolU"
	  "seID':'x','hookEvent':'SessionStart'}",
	  "SessionStart:startup hook success: C &lt;/system-reminder>" },
	{ "{'type':'hook_success','content':'','hookName':'SessionStart"
	  ":startup','toolUseID':'x','hookEvent':'SessionStart'}",
	  "" },
	{ "{'type':'hook_additional_context','content':['one','two "
	  "<system-reminder> </system-reminder> < / "
	  "<'],'hookName':'PreToolUse:Bash','toolUseID':'x','hookEvent'"
	  ":'PreToolUse'}",
	  "PreToolUse:Bash hook additional context: one\n"
	  "two &lt;system-reminder> &lt;/system-reminder> < / &lt;" },
	{ "{'type':'hook_additional_context','content':[],'hookName':'P"
	  "reToolUse:Bash','toolUseID':'x','hookEvent':'PreToolUse'}",
	  "" },
	{ "{'type':'hook_additional_context','content':'abc','hookName'"
	  ":'PreToolUse:Bash','toolUseID':'x','hookEvent':'PreToolUse'}",
	  "" },
	{ "{'type':'hook_blocking_error','blockingError':{'blockingErro"
	  "r':'B & "
	  "<','command':'cmd'},'hookName':'PreToolUse:Bash','toolUseID'"
	  ":'x','hookEvent':'PreToolUse'}",
	  "PreToolUse:Bash hook blocking error from command: \"cmd\": "
	  "B & &lt;" },
	{ "{'type':'hook_stopped_continuation','message':'M','hookName'"
	  ":'PreToolUse:Bash','toolUseID':'x','hookEvent':'PreToolUse'}",
	  "PreToolUse:Bash hook stopped continuation: M" },
	{ "{'type':'hook_error_during_execution','content':'E','hookNam"
	  "e':'PreToolUse:Bash','toolUseID':'x','hookEvent':'PreToolUse"
	  "'}",
	  "" },
	{ "{'type':'async_hook_response','processId':'p','hookName':'N'"
	  ",'response':{'systemMessage':'SM <a> "
	  "</system-reminder>','hookSpecificOutput':{'hookEventName':'X"
	  "','additionalContext':'AC'}},'stdout':'','stderr':''}",
	  "SM <a> &lt;/system-reminder>\n"
	  "=\n"
	  "AC" },
	{ "{'type':'async_hook_response','processId':'p','hookName':'N'"
	  ",'isPlainOutput':true,'response':{'hookSpecificOutput':{'add"
	  "itionalContext':'AC'}}}",
	  "N hook success: AC" },
	{ "{'type':'file','filename':'/w/a.txt','displayPath':'a.txt','"
	  "content':{'type':'text','file':{'filePath':'/w/a.txt','conte"
	  "nt':'alpha\\nbeta\\n\\n\\tx','numLines':4,'startLine':1,'tot"
	  "alLines':4}}}",
	  "Called the Read tool with the following input: "
	  "{\"file_path\":\"/w/a.txt\"}\n"
	  "=\n"
	  "Result of calling the Read tool:\n"
	  "1	alpha\n"
	  "2	beta\n"
	  "3	\n"
	  "4		x" },
	{ "{'type':'file','filename':'/w/a.txt','displayPath':'a.txt','"
	  "content':{'type':'text','file':{'filePath':'/w/a.txt','conte"
	  "nt':'alpha\\r\\nbeta','numLines':2,'startLine':98,'totalLine"
	  "s':200}}}",
	  "Called the Read tool with the following input: "
	  "{\"file_path\":\"/w/a.txt\"}\n"
	  "=\n"
	  "Result of calling the Read tool:\n"
	  "98	alpha\n"
	  "99	beta" },
	{ "{'type':'file','filename':'/w/a.txt','displayPath':'a.txt','"
	  "content':{'type':'text','file':{'filePath':'/w/a.txt','conte"
	  "nt':'','numLines':1,'startLine':1,'totalLines':1}}}",
	  "Called the Read tool with the following input: "
	  "{\"file_path\":\"/w/a.txt\"}\n"
	  "=\n"
	  "Result of calling the Read tool:\n"
	  "<system-reminder>Warning: the file exists but the contents "
	  "are empty.</system-reminder>" },
	{ "{'type':'file','filename':'/w/a.txt','displayPath':'a.txt','"
	  "content':{'type':'text','file':{'filePath':'/w/a.txt','conte"
	  "nt':'','numLines':0,'startLine':7,'totalLines':3}}}",
	  "Called the Read tool with the following input: "
	  "{\"file_path\":\"/w/a.txt\"}\n"
	  "=\n"
	  "Result of calling the Read tool:\n"
	  "<system-reminder>Warning: the file exists but is shorter "
	  "than the provided offset (7). The file has 3 "
	  "lines.</system-reminder>" },
	{ "{'type':'file','filename':'/w/a.txt','displayPath':'a.txt','"
	  "truncated':true,'content':{'type':'text','file':{'filePath':"
	  "'/w/a.txt','content':'alpha','numLines':1,'startLine':1,'tot"
	  "alLines':1}}}",
	  "Called the Read tool with the following input: "
	  "{\"file_path\":\"/w/a.txt\"}\n"
	  "=\n"
	  "Result of calling the Read tool:\n"
	  "1	alpha\n"
	  "=\n"
	  "Note: The file /w/a.txt was too large and has been "
	  "truncated to the first 2000 lines. No need to mention the "
	  "truncation. Use Read to read more of the file if you need." },
	{ "{'type':'file','filename':'/w/a<&>\\'.txt','displayPath':'a."
	  "txt','content':{'type':'text','file':{'filePath':'/w/a.txt',"
	  "'content':'x </system-reminder> "
	  "y','numLines':1,'startLine':1,'totalLines':1}}}",
	  "Called the Read tool with the following input: "
	  "{\"file_path\":\"/w/a<&>\\\".txt\"}\n"
	  "=\n"
	  "Result of calling the Read tool:\n"
	  "1	x &lt;/system-reminder> y\n"
	  "=\n"
	  "Note: /w/a&lt;&&gt;\".txt is not shown exactly as it is on "
	  "disk. Each closing system-reminder tag in it starts with "
	  "`<` on disk and is shown above with `&lt;` instead, so that "
	  "it cannot end the reminder around the text." },
	{ "{'type':'file','filename':'/w/a.png','displayPath':'a.png','"
	  "content':{'type':'image','file':{'base64':'aWlp','type':'ima"
	  "ge/png','originalSize':3}}}",
	  "Called the Read tool with the following input: "
	  "{\"file_path\":\"/w/a.png\"}\n"
	  "=\n"
	  "{\"type\":\"image\",\"source\":{\"type\":\"base64\",\"data\""
	  ":\"aWlp\",\"media_type\":\"image/png\"}}" },
	{ "{'type':'file','filename':'/w/a.pdf','displayPath':'a.pdf','"
	  "content':{'type':'file_unchanged','file':{'filePath':'/w/a.t"
	  "xt'}}}",
	  "" },
	{ "{'type':'directory','path':'/w/my "
	  "dir','content':'a\\nb','displayPath':'my dir'}",
	  "Called the Bash tool with the following input: "
	  "{\"command\":\"ls '/w/my dir'\",\"description\":\"Lists "
	  "files in /w/my dir\"}\n"
	  "=\n"
	  "Result of calling the Bash tool:\n"
	  "a\n"
	  "b" },
	{ "{'type':'directory','path':'/w/dir','content':'','displayPat"
	  "h':'dir'}",
	  "Called the Bash tool with the following input: "
	  "{\"command\":\"ls /w/dir\",\"description\":\"Lists files in "
	  "/w/dir\"}\n"
	  "=\n"
	  "Result of calling the Bash tool:\n" },
	{ "{'type':'edited_text_file','filename':'/w/<a>&.txt','snippet"
	  "':''}",
	  "Note: /w/&lt;a&gt;&.txt changed on disk since you last read "
	  "it. That's usually deliberate, so take it as the current "
	  "state rather than reverting it; if the change looks wrong, "
	  "say so rather than undoing it yourself — otherwise no need "
	  "to call it out. The changes are not shown here; use Read if "
	  "you need the current content." },
	{ "{'type':'compact_file_reference','filename':'/w/a.txt','disp"
	  "layPath':'a.txt'}",
	  "Note: /w/a.txt was read before the last conversation was "
	  "summarized, but the contents are too large to include. Use "
	  "Read tool if you need to access it." },
	{ "{'type':'nested_memory','path':'/w/CLAUDE.md','displayPath':"
	  "'CLAUDE.md','content':{'path':'/w/CLAUDE.md','type':'Project"
	  "','content':'MEM "
	  "</system-reminder>','contentDiffersFromDisk':false}}",
	  "Contents of /w/CLAUDE.md:\n"
	  "\n"
	  "MEM <\\/system-reminder>" },
	{ "{'type':'opened_file_in_ide'}",
	  "The user opened the file  in the IDE. This may or may not "
	  "be related to the current task." },
	{ "{'type':'selected_lines_in_ide','ideName':'VS','filename':'/"
	  "w/a.txt','displayPath':'a.txt','lineStart':1,'lineEnd':2,'co"
	  "ntent':'X\\nY'}",
	  "The user selected the lines 1 to 2 from /w/a.txt:\n"
	  "X\n"
	  "Y\n"
	  "\n"
	  "This may or may not be related to the current task." },
	{ "{'type':'selected_lines_in_diff','filePath':'/w/a.txt','line"
	  "Count':2,'content':'X\\nY'}",
	  "The user selected the following 2 lines from the diff view "
	  "(in /w/a.txt):\n"
	  "X\n"
	  "Y\n"
	  "\n"
	  "This may or may not be related to the current task." },
	{ "{'type':'diagnostics','isNew':true,'files':[{'uri':'file:///"
	  "w/a.ts','diagnostics':[{'message':'bad','severity':'Error','"
	  "range':{'start':{'line':0,'character':1},'end':{'line':0,'ch"
	  "aracter':2}},'source':'ts','code':'2304'}]}]}",
	  "<new-diagnostics>The following new diagnostic issues were "
	  "detected:\n"
	  "\n"
	  "a.ts:\n"
	  "  ✘ [Line 1:2] bad [2304] (ts)</new-diagnostics>" },
	{ "{'type':'diagnostics','isNew':true,'files':[{'uri':'file:///"
	  "w/a.ts','diagnostics':[{'message':'bad','severity':'Hint'}]}"
	  ",{'uri':'file:///w/c.ts','diagnostics':[]},{'uri':'untitled:"
	  "b','diagnostics':[{'message':'x'}]}]}",
	  "<new-diagnostics>The following new diagnostic issues were "
	  "detected:\n"
	  "\n"
	  "a.ts:\n"
	  "  ★ [Line NaN:NaN] bad\n"
	  "\n"
	  "untitled:b:\n"
	  "  • [Line NaN:NaN] x</new-diagnostics>" },
	{ "{'type':'diagnostics','isNew':true,'files':[]}", "" },
	{ "{'type':'date_change','newDate':'2026-03-02'}",
	  "The date has changed. Today's date is now 2026-03-02. No "
	  "need to announce the new date — the user's own clock shows "
	  "it." },
	{ "{'type':'output_style','style':'my <style>'}",
	  "my &lt;style&gt; output style is active. Remember to follow "
	  "the specific guidelines for this style." },
	{ "{'type':'budget_usd','used':1,'total':2.5,'remaining':1.5}",
	  "USD budget: $1/$2.5; $1.5 remaining" },
	{ "{'type':'mcp_resource','server':'S\\'','uri':'u:<x>','name':"
	  "'n','description':'d','content':{'contents':[{'uri':'u','tex"
	  "t':'TEXT'},{'uri':'u','blob':'aa','mimeType':'image/png'},{'"
	  "uri':'v','blob':'aa'}]}}",
	  "Full contents of resource:|TEXT|Do NOT read this resource "
	  "again unless you think it may have changed, since you "
	  "already have the full contents.|[Binary content: "
	  "image/png]|[Binary content: application/octet-stream]" },
	{ "{'type':'mcp_resource','server':'S','uri':'u','name':'n','co"
	  "ntent':{'contents':[]}}",
	  "<mcp-resource server=\"S\" uri=\"u\">(No "
	  "content)</mcp-resource>" },
	{ "{'type':'mcp_resource','server':'S','uri':'u','name':'n','co"
	  "ntent':{'contents':[{'uri':'u'}]}}",
	  "<mcp-resource server=\"S\" uri=\"u\">(No displayable "
	  "content)</mcp-resource>" },
	{ "{'type':'task_status','taskId':'T1','taskType':'local_agent'"
	  ",'status':'completed','description':'D "
	  "<x>','deltaSummary':'DS','outputFilePath':'/o'}",
	  "Task T1 (type: local_agent) (status: completed) "
	  "(description: D &lt;x&gt;) Delta: DS Read the output file "
	  "to retrieve the result: /o" },
	{ "{'type':'task_status','taskId':'T1','taskType':'local_bash',"
	  "'status':'killed','description':'D','deltaSummary':null}",
	  "Task \"D\" (T1) was stopped." },
	{ "{'type':'plan_file_reference','planFilePath':'/p.md','planCo"
	  "ntent':'PLAN'}",
	  "A plan file exists from plan mode at: /p.md\n"
	  "\n"
	  "Plan contents:\n"
	  "\n"
	  "PLAN\n"
	  "\n"
	  "If this plan is relevant to the current work and not "
	  "already complete, continue working on it." },
	{ "{'type':'plan_mode_exit','planFilePath':'/p.md','planExists'"
	  ":true}",
	  "## Exited Plan Mode\n"
	  "\n"
	  "You have exited plan mode. You can now make edits, run "
	  "tools, and take actions. The plan file is located at /p.md "
	  "if you need to reference it." },
	{ "{'type':'plan_mode_exit','planFilePath':'/p.md','planExists'"
	  ":false}",
	  "## Exited Plan Mode\n"
	  "\n"
	  "You have exited plan mode. You can now make edits, run "
	  "tools, and take actions." },
	{ "{'type':'read_truncation_notice','banner':'BAN "
	  "<x>','toolUseID':'t1'}",
	  "BAN &lt;x&gt;" },
	{ "{'type':'plugin_note','plugin':'p','content':['N1','N2']}",
	  "Note from the p plugin, not from the user:\n"
	  "N1\n"
	  "N2" },
	{ "{'type':'already_read_file','filename':'/w/a.txt','displayPa"
	  "th':'a.txt','content':{}}",
	  "" },
	{ "{'type':'todo','content':[{'content':'do','status':'pending'"
	  ",'activeForm':'Doing'}],'itemCount':1,'context':'post-compac"
	  "t'}",
	  "" },
	{ "{'type':'future_thing','content':'words'}", "" },
	{ "{'content':'words'}", "" },
	{ "{'type':3,'content':'words'}", "" },
};

#define TYPED                                       \
	"[{'type':'text','text':'<system-reminder>" \
	"\\nD\\n</system-reminder>'}]\n"

static const struct {
	const char *rendered;
	const char *sent;
} rendered_rows[] = {
	{ "[{'content':'a'}]", "[{'type':'text','text':'a'}]\n" },
	{ "[{'content':'a'},{'content':'\\u0000'}]",
	  "[{'type':'text','text':'a'}]\n"
	  "[{'type':'text','text':'\\u0000'}]\n" },
	{ "[{'content':[{'text':'a','type':'text','x':1},"
	  "{'type':'text','text':'b'}]}]",
	  "[{'type':'text','text':'a'},{'type':'text','text':'b'}]\n" },
	/* None of these is valid, so the type counts. */
	{ "null", TYPED },
	{ "'a'", TYPED },
	{ "[]", TYPED },
	{ "{'content':'a'}", TYPED },
	{ "[{'content':''}]", TYPED },
	{ "[{'content':[]}]", TYPED },
	{ "[{'content':5}]", TYPED },
	{ "[{'content':'a'},{}]", TYPED },
	{ "[{'content':[{'type':'text','text':''}]}]", TYPED },
	{ "[{'content':[{'type':'text','text':'a'},{'type':'image'}]}]",
	  TYPED },
};

static struct claude_notes notes;

static void load(struct buf *line)
{
	struct json v;
	CHECK_INT(json_check(buf_span(line), &v), 0);
	CHECK_INT(claude_attachment(v, &notes), 0);
	buf_free(line);
}

/* Print a block as the rows have it. */
static void print_block(struct buf *out, struct json block)
{
	struct buf text = { 0 };
	json_decode(&text, json_get(block, "text"));
	if (json_is(json_get(block, "type"), SPAN("text"))) {
		CHECK(span_starts(buf_span(&text), SPAN(CLAUDE_OPEN_TAG)));
		claude_add_bare(out, buf_span(&text));
	} else {
		buf_add(out, block.raw);
	}
	buf_free(&text);
}

static void check_types(void)
{
	struct buf out = { 0 };
	const struct dialect *claude = dialect_named(SPAN("claude"));
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct buf line = test_quoted("{'attachment':");
		struct buf attachment = test_quoted(rows[i].attachment);
		test_row = rows[i].attachment;
		buf_add(&line, buf_span(&attachment));
		buf_addc(&line, '}');
		CHECK_SPAN(unlisted_run(claude, buf_span(&line),
					span_of(rows[i].sent)),
			   SPAN(""));
		load(&line);
		buf_clear(&out);
		for (size_t k = 0; k < notes.n; k++) {
			struct json blocks = claude_note_blocks(&notes, k);
			struct json_walk w = json_walk(blocks);
			struct json block;
			buf_adds(&out, k > 0 ? "\n=\n" : "");
			for (bool first = true; json_next_element(&w, &block);
			     first = false) {
				buf_adds(&out, first ? "" : "|");
				print_block(&out, block);
			}
		}
		CHECK_BUF(&out, rows[i].sent);
		buf_free(&attachment);
	}
	test_row = NULL;
	buf_free(&out);
}

static void check_rendered(void)
{
	struct buf out = { 0 };
	for (size_t i = 0; i < COUNT(rendered_rows); i++) {
		struct buf line = test_quoted(
			"{'attachment':{'type':'elapsed_time_reminder',"
			"'text':'D'},'rendered':");
		struct buf rendered = test_quoted(rendered_rows[i].rendered);
		struct buf sent = test_quoted(rendered_rows[i].sent);
		test_row = rendered_rows[i].rendered;
		buf_add(&line, buf_span(&rendered));
		buf_addc(&line, '}');
		load(&line);
		buf_clear(&out);
		for (size_t k = 0; k < notes.n; k++) {
			buf_add(&out, claude_note_blocks(&notes, k).raw);
			buf_addc(&out, '\n');
			CHECK(notes.list[k].texts);
		}
		CHECK_SPAN(buf_span(&out), buf_span(&sent));
		buf_free(&rendered);
		buf_free(&sent);
	}
	test_row = NULL;
	buf_free(&out);
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
	check_types();
	check_rendered();
	check_roles();
	check_notification();
	check_shown();
	check_cost();
	claude_notes_free(&notes);
	return test_done("claude_attachment");
}
