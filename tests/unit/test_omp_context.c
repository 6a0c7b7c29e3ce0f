#include "core/show/context.h"

#include "core/session/dialect.h"
#include "tests/unit/test.h"

/*
 * Contexts as oh-my-pi 18.3.4 builds them (sessfs-formats(5)). Sessions are
 * marked by a title slot; ' stands for ".
 */
#define SLOT "{'type':'title','v':1,'title':'T','updatedAt':'x','pad':''}\n"
#define OMP SLOT HEADER
#define TOOL(id) "{'type':'toolCall','id':" id ",'name':'t','arguments':{}}"
#define TURN(id, parent, content, rest) \
	MESSAGE(id, parent, "assistant", ",'content':[" content "]" rest)
#define RESULT(id, parent, call)                                    \
	MESSAGE(id, parent, "toolResult",                           \
		",'toolCallId':" call ",'content':[{'type':'text'," \
		"'text':'" id "'}]")
#define SAY(text) "{'type':'text','text':'" text "'}"
#define STOP(reason) ",'stopReason':'" reason "'"
#define RESET(id, parent) ENTRY("reset_boundary", id, parent, "")
#define TIMED(id, parent, second, fields)                              \
	"{'id':'" id "','parentId':" parent ",'timestamp':'1970-01-01" \
	"T00:00:" second ".000Z'," fields "}\n"
#define NATIVE(id, parent, kept, fields)                      \
	COMPACTION(id, parent, kept,                          \
		   fields ",'preserveData':{"                 \
			  "'anthropicCompaction':{'provider'" \
			  ":'p','content':'c'}}")
#define COMPACTION(id, parent, kept, rest) \
	ENTRY("compaction", id, parent,    \
	      ",'summary':'S','firstKeptEntryId':'" kept "'" rest)
#define CUSTOM(id, parent, type, content)   \
	ENTRY("custom_message", id, parent, \
	      ",'customType':'" type "','content':'" content "'")
#define NOTES(id, parent, text)                                     \
	ENTRY("custom", id, parent,                                 \
	      ",'customType':'experimental_context_notes','data':{" \
	      "'version':1,'text':'" text "'}")
#define SUMMARY                                                          \
	"[User]: Prior model work/tool state available.\nMUST build on " \
	"prior work; NEVER duplicate prior work.\n\n<summary>\nS\n"      \
	"</summary>"
#define CALLED "\n\n[Assistant tool calls]: t()"

static const struct {
	const char *lines;
	const char *at;
	const char *text;
} rows[] = {
	{ USER("a", "null", "q"), "-", "" },
	{ USER("a", "null", "q") TURN("b", "'a'", SAY("r"), ""), "b",
	  "[User]: q\n\n[Assistant]: r\n" },
	{ MESSAGE("a", "null", "developer", ",'content':'d'")
		  CUSTOM("b", "'a'", "x", "c"),
	  "b", "[Developer]: d\n\n[Developer]: c\n" },
	/* Roles and types that are not sent. */
	{ MESSAGE("a", "null", "system", ",'content':'s'")
		  MESSAGE("b", "'a'", "usage", ",'content':'s'")
			  ENTRY("message", "c", "'b'", ",'message':5") CUSTOM(
				  "d", "'c'", "prewalk-plan", "p")
				  CUSTOM("e", "'d'", "vibe-mode-context", "p"),
	  "e", "" },
	{ ENTRY("custom_message", "a", "null", ",'content':5")
		  ENTRY("custom_message", "b", "'a'", ",'content':null")
			  ENTRY("custom_message", "c", "'b'", ""),
	  "c", "" },
	{ ENTRY("context_edit", "b", "'a'",
		",'targetId':'a','replacement':null") USER("a", "null", "q"),
	  "b", "[User]: q\n" },
	/* Branch summaries. */
	{ ENTRY("branch_summary", "a", "null", ",'summary':''")
		  ENTRY("branch_summary", "b", "'a'", ",'summary':'B'"),
	  "b", "[User]: Branch-return summary:\n\n<summary>\nB\n</summary>\n" },
	/* Resets and compactions: the later one counts. */
	{ USER("a", "null", "1") RESET("b", "'a'") USER("c", "'b'", "2"), "c",
	  "[User]: 2\n" },
	{ USER("a", "null", "1") RESET("b", "'a'") USER("c", "'b'", "2"), "b",
	  "" },
	{ USER("a", "null", "1") COMPACTION("b", "'a'", "a", "")
		  RESET("c", "'b'") USER("d", "'c'", "2"),
	  "d", "[User]: 2\n" },
	{ USER("a", "null", "1") RESET("b", "'a'") USER("c", "'b'", "2")
		  COMPACTION("d", "'c'", "a", "") USER("e", "'d'", "3"),
	  "e", SUMMARY "\n\n[User]: 1\n\n[User]: 2\n\n[User]: 3\n" },
	{ USER("a", "null", "1") COMPACTION("b", "'a'", "zz", ""), "b",
	  SUMMARY "\n" },
	{ USER("a", "null", "1") COMPACTION("b", "'a'", "a", "")
		  USER("c", "'b'", "2") COMPACTION("d", "'c'", "a", ""),
	  "d", SUMMARY "\n\n[User]: 1\n\n[User]: 2\n" },
	/* What a provider's own history stands for is not sent. */
	{ USER("a", "null", "1") USER("b", "'a'", "2")
		  COMPACTION("c", "'b'", "a",
			     ",'preserveData':{'openaiRemoteCompaction':{"
			     "'provider':'o','replacementHistory':[]}}")
			  USER("d", "'c'", "3"),
	  "d", SUMMARY "\n\n[User]: 3\n" },
	{ USER("a", "null", "1") USER("b", "'a'", "2")
		  COMPACTION("c", "'b'", "a",
			     ",'providerReplayThroughEntryId':'a',"
			     "'preserveData':{'openaiRemoteCompaction':{"
			     "'provider':'o','replacementHistory':[{}]}}"),
	  "c", SUMMARY "\n\n[User]: 2\n" },
	{ USER("a", "null", "1")
		  COMPACTION("c", "'a'", "a",
			     ",'preserveData':{'openaiRemoteCompaction':{"
			     "'provider':'o','replacementHistory':[5]}}"),
	  "c", SUMMARY "\n\n[User]: 1\n" },
	/* Anthropic's own compaction keeps what comes after an entry. */
	{ USER("a", "null", "1") USER("b", "'a'", "2")
		  NATIVE("c", "'b'", "", ",'providerReplayThroughEntryId':'a'")
			  USER("d", "'c'", "3"),
	  "d", SUMMARY "\n\n[User]: 2\n\n[User]: 3\n" },
	{ USER("a", "null", "1") USER("b", "'a'", "2")
		  NATIVE("c", "'b'", "", ",'providerReplayThroughEntryId':'b'"),
	  "c", SUMMARY "\n" },
	{ USER("a", "null", "1")
		  NATIVE("c", "'a'", "", ",'providerReplayThroughEntryId':'x'"),
	  "c", SUMMARY "\n" },
	/* Unless another entry is named, on the path or not. */
	{ USER("a", "null", "1") USER("b", "'a'", "2") NATIVE(
		  "c", "'b'", "a", ",'providerReplayThroughEntryId':'a'"),
	  "c", SUMMARY "\n\n[User]: 1\n\n[User]: 2\n" },
	{ USER("a", "null", "1") USER("b", "'a'", "2") NATIVE(
		  "c", "'b'", "x", ",'providerReplayThroughEntryId':'a'"),
	  "c", SUMMARY "\n" },
	{ USER("a", "null", "1") USER("b", "'a'", "2") COMPACTION(
		  "c", "'b'", "", ",'providerReplayThroughEntryId':'a'"),
	  "c", SUMMARY "\n" },
	/* A rollover keeps the last request. */
	{ USER("a", "null", "1") TURN("b", "'a'", SAY("r"), "")
		  USER("c", "'b'", "2") TURN("d", "'c'", SAY("s"), "")
			  COMPACTION("e", "'d'", "d",
				     ",'details':{'kind':"
				     "'experimental-context-rollover'}"),
	  "e", SUMMARY "\n\n[User]: 2\n\n[Assistant]: s\n" },
	{ USER("a", "null", "1") COMPACTION("e", "'a'", "a",
					    ",'details':{'kind':"
					    "'experimental-context-rollover'}"),
	  "e", SUMMARY "\n\n[User]: 1\n" },
	/* Tool calls and their results. */
	{ TURN("a", "null", SAY("r") "," TOOL("'1'") "," TOOL("'2'"), "")
		  RESULT("b", "'a'", "'2'"),
	  "b", "[Assistant]: r" CALLED "\n\n[Tool result]: b\n" },
	{ TURN("a", "null", TOOL("'1'"), "") USER("b", "'a'", "q"), "b",
	  "[User]: q\n" },
	/* Turns that failed. */
	{ USER("a", "null", "q")
		  TURN("b", "'a'", SAY("r") "," TOOL("'1'"), STOP("error"))
			  RESULT("c", "'b'", "'1'") USER("d", "'c'", "2"),
	  "d", "[User]: q\n\n[User]: 2\n" },
	{ TURN("b", "null", SAY("r"), STOP("aborted"))
		  CUSTOM("c", "'b'", "interrupted-thinking", "N"),
	  "c", "[Assistant]: r\n\n[Developer]: N\n" },
	{ TURN("b", "null", SAY("r"), STOP("aborted")) USER("x", "'b'", "q")
		  CUSTOM("c", "'x'", "interrupted-thinking", "N"),
	  "c", "[User]: q\n\n[Developer]: N\n" },
	/* What stands between the two does not matter if it goes as well. */
	{ TURN("a", "null", SAY("r"), STOP("aborted"))
		  TURN("b", "'a'", SAY("s") "," TOOL("'1'"),
		       STOP("error")) RESULT("c", "'b'", "'1'")
			  CUSTOM("d", "'c'", "interrupted-thinking", "N"),
	  "d", "[Assistant]: r\n\n[Developer]: N\n" },
	/* Of equal ids all results that come later go. */
	{ RESULT("a", "null", "'1'")
		  TURN("b", "'a'", SAY("s") "," TOOL("'1'"), STOP("error"))
			  RESULT("c", "'b'", "'1'") RESULT("d", "'c'", "'1'"),
	  "d", "[Tool result]: a\n" },
	{ TURN("a", "null", "", STOP("error"))
		  CUSTOM("b", "'a'", "interrupted-thinking", "N"),
	  "b", "[Developer]: N\n" },
	{ TURN("a", "null", SAY("r"), ",'retryRecovery':true"), "a", "" },
	/* Unsigned thinking at the end is in the note. */
	{ TURN("a", "null",
	       SAY("r") ",{'type':'thinking','thinking':'x'}," SAY(" "),
	       STOP("aborted")) CUSTOM("b", "'a'", "interrupted-thinking", "N"),
	  "b", "[Assistant]: r\n\n[Developer]: N\n" },
	/* Notes. */
	{ NOTES("a", "null", "1") RESET("b", "'a'") USER("c", "'b'", "q"), "c",
	  "[User]: q\n" },
	{ NOTES("a", "null", "1") NOTES("b", "'a'", "") USER("c", "'b'", "q"),
	  "c", "[User]: q\n" },
};

static void check_rows(void)
{
	struct buf text = { 0 };
	struct buf got = { 0 };
	for (size_t i = 0; i < COUNT(rows); i++) {
		test_row = rows[i].lines;
		buf_clear(&text);
		buf_adds(&text, OMP);
		buf_adds(&text, rows[i].lines);
		struct session *s = test_session(buf_cstr(&text));
		CHECK_SPAN(span_of(s->dialect->name), SPAN("omp"));
		uint32_t at = strcmp(rows[i].at, "-") == 0
				      ? INDEX_NONE
				      : test_find(s, rows[i].at);
		CHECK_INT(context_add(s, at, MESSAGE_FORM_TEXT, &got), 0);
		CHECK_BUF(&got, rows[i].text);
		test_close(s);
	}
	test_row = NULL;
	buf_free(&text);
	buf_free(&got);
}

/* The JSON of a context of one message, ' for ". */
static const struct {
	const char *lines;
	const char *at;
	const char *json;
} messages[] = {
	{ USER("a", "null", "q"), "a",
	  "{'role':'user','content':'q','timestamp':7,'attribution':'user'}" },
	{ MESSAGE("a", "null", "user",
		  ",'content':'q','attribution':'agent','steering':true"),
	  "a",
	  "{'role':'user','content':'q','attribution':'agent',"
	  "'steering':true}" },
	{ MESSAGE("a", "null", "fileMention",
		  ",'files':[{'path':'p','content':'c'},{'path':'q'}]"),
	  "a",
	  "{'role':'developer','content':[" SAY(
		  "<file path=\\\"p\\\">\\nc\\n</file>\\n<file "
		  "path=\\\"q\\\">\\n"
		  "</file>") "],'attribution':'user'}" },
	{ MESSAGE("a", "null", "toolResult", ",'attribution':null"), "a",
	  "{'role':'toolResult','attribution':'agent'}" },
	{ MESSAGE("a", "null", "toolResult",
		  ",'prunedAt':1,'content':[{'type':'image'}," SAY("x") "," SAY(
			  "y") "]"),
	  "a",
	  "{'role':'toolResult','prunedAt':1,'content':[{'type':'image'}," SAY(
		  "xy") "],'attribution':'agent'}" },
	{ MESSAGE("a", "null", "toolResult", ",'prunedAt':1,'content':[]"), "a",
	  "{'role':'toolResult','prunedAt':1,'content':[" SAY(
		  "[Output truncated]") "],'attribution':'agent'}" },
	{ MESSAGE("a", "null", "bashExecution",
		  ",'command':'c','output':'o','exitCode':2,'images':[{}]"),
	  "a",
	  "{'role':'user','content':[" SAY("Ran "
					   "`c`\\n```\\no\\n```\\n\\nCommand "
					   "exited with code 2") ","
								 "{}],'"
								 "attribution':"
								 "'user'}" },
	{ MESSAGE("a", "null", "bashExecution",
		  ",'command':'c','output':'o','meta':{'limits':{'"
		  "columnTruncated':{'maxColumn':99}}}"),
	  "a",
	  "{'role':'user','content':[" SAY(
		  "Ran `c`\\n```\\no\\n```\\n\\n["
		  "Some lines truncated to 99 chars]") "],'attribution':'user'"
						       "}" },
	{ MESSAGE("a", "null", "pythonExecution",
		  ",'code':'c','cancelled':true,'timestamp':5"),
	  "a",
	  "{'role':'user','content':[" SAY(
		  "Ran Python:\\n```python\\nc\\n```\\n(no output)\\n\\n"
		  "(execution cancelled)") "],'attribution':'user',"
					   "'timestamp':5}" },
	{ ENTRY("custom_message", "a", "null",
		",'customType':'skill-prompt','attribution':'user',"
		"'content':'c'"),
	  "a",
	  "{'role':'user','content':[" SAY("c") "],'attribution':'user',"
						"'timestamp':1772359201000}" },
	{ ENTRY("custom_message", "a", "null",
		",'customType':'x','attribution':5,'content':[" SAY("c") "]"),
	  "a",
	  "{'role':'developer','content':[" SAY(
		  "c") "],'attribution':'agent','timestamp':1772359201000}" },
	{ ENTRY("custom_message", "a", "null",
		",'customType':'','content':[{'type':'image'}]"),
	  "a",
	  "{'role':'user','content':[" SAY(
		  "Images attached to custom-message.") ",{'type':'image'}],"
							"'timestamp':"
							"1772359201000}" },
	{ COMPACTION("a", "null", "a",
		     ",'preserveData':{'snapcompact':{'textHead':'H'},"
		     "'openaiRemoteCompaction':{'provider':'o',"
		     "'replacementHistory':[{'k':1}]}}"),
	  "a",
	  "{'role':'user','content':[" SAY("S") "," SAY(
		  "H") "],'attribution':'agent','historyRewriteAt':"
		       "1772359201000,'providerPayload':{'type':"
		       "'openaiResponsesHistory','provider':'o',"
		       "'items':[{'k':1}]},'timestamp':1772359201000}" },
	{ TURN("a", "null",
	       "{'type':'thinking','thinking':'x','thinkingSignature':'s'},"
	       "{'type':'redactedThinking','data':'d'}," TOOL("'1'"),
	       ",'id':7"),
	  "a",
	  "{'role':'assistant','content':[{'type':'thinking',"
	  "'thinking':'x'}],'id':7}" },
	{ TURN("a", "null",
	       "{'type':'thinking','thinking':'x','thinkingSignature':null},"
	       "{'type':'text'}",
	       ",'provider':'github-copilot','providerPayload':{'type':"
	       "'openaiResponsesHistory'}"),
	  "a",
	  "{'role':'assistant','content':[{'type':'thinking','thinking':'x'},"
	  "{'type':'text'}],'provider':'github-copilot'}" },
};

static void check_messages(void)
{
	struct buf text = { 0 };
	struct buf got = { 0 };
	for (size_t i = 0; i < COUNT(messages); i++) {
		struct buf want = { 0 };
		struct buf quoted = test_quoted(messages[i].json);
		test_row = messages[i].lines;
		buf_adds(&want, "[\n");
		buf_add(&want, buf_span(&quoted));
		buf_adds(&want, "\n]\n");
		buf_clear(&text);
		buf_adds(&text, OMP);
		buf_adds(&text, messages[i].lines);
		struct session *s = test_session(buf_cstr(&text));
		CHECK_INT(context_add(s, test_find(s, messages[i].at),
				      MESSAGE_FORM_JSON, &got),
			  0);
		CHECK_BUF(&got, buf_cstr(&want));
		test_close(s);
		buf_free(&want);
		buf_free(&quoted);
	}
	test_row = NULL;
	buf_free(&text);
	buf_free(&got);
}

/* The notes are sent before all else. */
static void check_notes(void)
{
	struct session *s = test_session(OMP NOTES("a", "null", "old") NOTES(
		"b", "'a'", "new") USER("c", "'b'", "q"));
	static const char want[] = "notebook revision:\nnew\n"
				   "</experimental-context-notes>\n\n"
				   "[User]: q\n";
	struct buf got = { 0 };
	CHECK_INT(context_add(s, test_find(s, "c"), MESSAGE_FORM_TEXT, &got),
		  0);
	CHECK(memmem(got.data, got.len, want, strlen(want)));
	buf_free(&got);
	test_close(s);
}

/*
 * Anthropic's own compaction has its time, and has rewritten the history just
 * before what it keeps.
 */
static void check_rewrite_time(const char *lines, const char *rewritten_at)
{
	struct session *s = test_session(lines);
	struct buf got = { 0 };
	struct buf want = { 0 };
	CHECK_INT(context_add(s, test_find(s, "c"), MESSAGE_FORM_JSON, &got),
		  0);
	buf_adds(&want, "\"historyRewriteAt\":");
	buf_adds(&want, rewritten_at);
	buf_adds(&want, ",\"providerPayload\":{\"type\":"
			"\"anthropicCompaction\",\"provider\":\"p\","
			"\"content\":\"c\"},\"timestamp\":1000}");
	test_row = lines;
	CHECK(memmem(got.data, got.len, want.data, want.len));
	test_row = NULL;
	buf_free(&got);
	buf_free(&want);
	test_close(s);
}

static void check_rewrite_times(void)
{
#define AT_5 TIMED("a", "null", "05", "'type':'message','message':{}")
#define AT_6 TIMED("b", "'a'", "06", "'type':'message','message':{}")
#define COMPACTED(kept)                                               \
	TIMED("c", "'b'", "01",                                       \
	      "'type':'compaction','summary':'S','firstKeptEntryId':" \
	      "'" kept "','providerReplayThroughEntryId':'a',"        \
	      "'preserveData':{'anthropicCompaction':{"               \
	      "'provider':'p','content':'c','filesText':''}}")
	check_rewrite_time(OMP AT_5 AT_6 COMPACTED("a"), "4999");
	check_rewrite_time(OMP AT_5 AT_6 COMPACTED(""), "5999");
	check_rewrite_time(OMP AT_5 AT_6 COMPACTED("x"), "1000");
}

static const struct {
	const char *lines;
	const char *model;
	const char *thinking;
} settings[] = {
	{ "", "", "off" },
	{ MESSAGE("a", "null", "assistant", ",'provider':'p','model':'m'")
		  MESSAGE("b", "'a'", "assistant",
			  ",'provider':'p','model':'n'"),
	  "p/n", "off" },
	{ ENTRY("model_change", "a", "null", ",'model':'p/x'") MESSAGE(
		  "b", "'a'", "assistant", ",'provider':'p','model':'n'"),
	  "p/x", "off" },
	{ MESSAGE("a", "null", "assistant", ",'provider':'p','model':'n'")
		  ENTRY("model_change", "b", "'a'",
			",'model':'p/x','role':'smol'")
			  ENTRY("model_change", "c", "'b'",
				",'provider':'p','modelId':'q'"),
	  "p/n", "off" },
	{ ENTRY("model_change", "a", "null", ",'model':'p/x','role':'default'")
		  ENTRY("thinking_level_change", "b", "'a'",
			",'thinkingLevel':'high'")
			  ENTRY("thinking_level_change", "c", "'b'",
				",'thinkingLevel':null"),
	  "p/x", "off" },
};

static void check_settings(void)
{
	struct buf text = { 0 };
	struct buf model = { 0 };
	struct buf thinking = { 0 };
	for (size_t i = 0; i < COUNT(settings); i++) {
		test_row = settings[i].lines;
		buf_clear(&text);
		buf_adds(&text, OMP);
		buf_adds(&text, settings[i].lines);
		struct session *s = test_session(buf_cstr(&text));
		CHECK_INT(s->dialect->telling->settings(s, s->now.leaf, &model,
							&thinking),
			  0);
		CHECK_BUF(&model, settings[i].model);
		CHECK_BUF(&thinking, settings[i].thinking);
		test_close(s);
	}
	test_row = NULL;
	buf_free(&text);
	buf_free(&model);
	buf_free(&thinking);
}

/* 20,000 turns that failed, and as many results of seven calls. */
static void check_cost(void)
{
	struct buf text = { 0 };
	struct buf got = { 0 };
	buf_adds(&text, OMP USER("r0", "null", "q"));
	for (int i = 1; i <= 20000; i++)
		buf_addf(&text,
			 TURN("t%d", "'r%d'", SAY("x") "," TOOL("'%d'"),
			      STOP("error")) RESULT("r%d", "'t%d'", "'%d'"),
			 i, i - 1, i % 7, i, i, i % 7, i);
	struct session *s = test_session(buf_cstr(&text));
	CHECK_INT(context_add(s, s->now.leaf, MESSAGE_FORM_TEXT, &got), 0);
	CHECK_BUF(&got, "[User]: q\n");
	test_close(s);
	buf_free(&text);
	buf_free(&got);
}

/* A turn of n calls, in a line of 60,000 bytes. */
static struct buf long_turn(int n)
{
	struct buf calls = { 0 };
	struct buf line = { 0 };
	for (int i = 0; i < n; i++)
		buf_adds(&calls, TOOL("'1'") ",");
	buf_addf(&line, TURN("b", "'a'", "%s" TOOL("'2'"), ",'x':'%*s'"),
		 buf_cstr(&calls), 58000 - (int)calls.len, "");
	struct buf quoted = test_quoted(buf_cstr(&line));
	buf_free(&calls);
	buf_free(&line);
	return quoted;
}

#define BEFORE OMP TURN("a", "null", SAY("r"), "")

/* Printing a block changes the file: the next turn has more calls than ever. */
static struct block read_and_change(struct json v)
{
	struct buf line = long_turn(1000);
	int fd = open(test_path("s.jsonl"), O_WRONLY | O_CLOEXEC);
	test_need(pwrite(fd, line.data, line.len, strlen(BEFORE)) ==
			  (ssize_t)line.len,
		  "pwrite");
	close(fd);
	buf_free(&line);
	return block_read_pi(v);
}

/*
 * A turn has more calls when it is printed than it had when it was listed: it
 * is not the one that was read.
 */
static void check_changing(void)
{
	struct buf text = { 0 };
	struct buf got = { 0 };
	struct buf line = long_turn(1);
	struct path path;
	buf_adds(&text, BEFORE);
	buf_add(&text, buf_span(&line));
	buf_adds(&text, RESULT("c", "'b'", "'1'"));
	struct session *s = test_session(buf_cstr(&text));
	struct messages to = { .out = &got,
			       .form = MESSAGE_FORM_TEXT,
			       .read_block = read_and_change };
	CHECK_INT(path_load(&path, s, s->now.leaf), 0);
	CHECK_INT(s->dialect->sending->context(s, &path, &to), -ESTALE);
	path_free(&path);
	test_close(s);
	buf_free(&line);
	buf_free(&text);
	buf_free(&got);
}

int main(void)
{
	check_rows();
	check_messages();
	check_notes();
	check_rewrite_times();
	check_settings();
	check_cost();
	check_changing();
	return test_done("omp_context");
}
