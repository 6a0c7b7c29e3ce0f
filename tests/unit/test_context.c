#include "core/show/context.h"

#include "core/json/js.h"
#include "tests/unit/test.h"

/* Equal as JSON values: members in any order. Not for deep ones. */
static bool same(struct json a, struct json b)
{
	struct js_members x = { 0 };
	struct js_members y = { 0 };
	enum json_type type = json_type(a);
	bool ok = type == json_type(b);
	if (ok && (type == JSON_OBJECT || type == JSON_ARRAY)) {
		js_members_load(&x, a);
		js_members_load(&y, b);
		ok = x.n == y.n;
		for (size_t i = 0; i < x.n && ok; i++) {
			size_t k = 0;
			while (k < y.n &&
			       !span_eq(x.list[i].key, y.list[k].key))
				k++;
			ok = k < y.n && same(x.list[i].value, y.list[k].value);
		}
		js_members_free(&x);
		js_members_free(&y);
	} else if (ok) {
		struct buf s = { 0 };
		struct buf t = { 0 };
		js_stringify(&s, a, 0);
		js_stringify(&t, b, 0);
		ok = span_eq(buf_span(&s), buf_span(&t));
		buf_free(&s);
		buf_free(&t);
	}
	return ok;
}

static void check_json(const struct session *s, uint32_t entry,
		       const char *want)
{
	struct buf got = { 0 };
	struct buf quoted = test_quoted(want);
	struct json a = { 0 };
	struct json b = { 0 };
	CHECK_INT(context_add(s, entry, MESSAGE_FORM_JSON, &got), 0);
	CHECK_INT(json_check(buf_span(&got), &a), 0);
	CHECK_INT(json_check(buf_span(&quoted), &b), 0);
	if (!CHECK(same(a, b)))
		CHECK_SPAN(buf_span(&got), buf_span(&quoted));
	/* "[", a message a line, "]". */
	size_t lines = 0;
	for (size_t i = 0; i < got.len; i++)
		lines += got.data[i] == '\n';
	struct js_members m;
	js_members_load(&m, a);
	CHECK_INT(lines, m.n == 0 ? 1 : m.n + 2);
	CHECK(m.n > 0 || span_eq(buf_span(&got), SPAN("[]\n")));
	js_members_free(&m);
	buf_free(&got);
	buf_free(&quoted);
}

static void check_text(const struct session *s, uint32_t entry,
		       const char *want)
{
	struct buf got = { 0 };
	CHECK_INT(context_add(s, entry, MESSAGE_FORM_TEXT, &got), 0);
	CHECK_BUF(&got, want);
	buf_free(&got);
}

#define SUMMARY(text)                                               \
	"[User]: The conversation history before this point was "   \
	"compacted into the following summary:\n\n<summary>\n" text \
	"\n</summary>"
#define BRANCH(text)                                                \
	"[User]: The following is a summary of a branch that this " \
	"conversation came back from:\n\n<summary>\n" text "</summary>"
#define SYSTEM(id, parent, text) \
	MESSAGE(id, parent, "system", ",'content':'" text "'")
#define COMPACTION(id, parent, text, rest) \
	ENTRY("compaction", id, parent, ",'summary':'" text "'" rest)
#define KEPT(id) ",'firstKeptEntryId':'" id "'"
#define EDIT(id, parent, target, to)      \
	ENTRY("context_edit", id, parent, \
	      ",'targetId':'" target "','replacement':" to)

/* Chains a, b, c, … and the text of the context at `at`. */
static const struct {
	const char *lines;
	const char *at;
	const char *text;
} texts[] = {
	/* 3.7 */
	{ "", "-", "" },
	{ USER("a", "null", "hi"), "a", "[User]: hi\n" },
	{ USER("a", "null", "hi"), "-", "" },
	{ USER("a", "null", "") SYSTEM("b", "'a'", "S")
		  MESSAGE("c", "'b'", "toolResult", ",'content':[]"),
	  "c", "" },
	{ USER("a", "null", "q") ASSISTANT("b", "'a'", "r")
		  MESSAGE("c", "'b'", "toolResult",
			  ",'content':[{'type':'text','text':'1'},"
			  "{'type':'image','data':''},"
			  "{'type':'text','text':'2'}]"),
	  "c", "[User]: q\n\n[Assistant]: r\n\n[Tool result]: 12\n" },
	{ MESSAGE("a", "null", "user",
		  ",'content':[{'type':'text','text':'\\ud83d'},"
		  "{'type':'text','text':'\\ude00 \\ud83d'}]"),
	  "a", "[User]: \xF0\x9F\x98\x80 \xEF\xBF\xBD\n" },
	{ MESSAGE("a", "null", "assistant",
		  ",'content':[{'type':'toolCall','name':'read','arguments':"
		  "{'path':'gr\xC3\xB6\xC3\x9F"
		  "e','n':1.50,'big':1e21,'2':true,"
		  "'1':[1, {'k':null}],'s':'tab\\there'}},"
		  "{'type':'thinking','thinking':'hidden'},"
		  "{'type':'text','text':'one'},{'type':'text','text':'two'},"
		  "{'type':'toolCall','name':'ls','arguments':{}}]"),
	  "a",
	  "[Assistant]: one\ntwo\n\n[Assistant tool calls]: read("
	  "1=[1,{\"k\":null}], 2=true, path=\"gr\xC3\xB6\xC3\x9F"
	  "e\", n=1.5, "
	  "big=1e+21, s=\"tab\\there\"); ls()\n" },
	/* Object.entries() of a string has its UTF-16 units. */
	{ MESSAGE("a", "null", "assistant",
		  ",'content':[{'type':'toolCall','name':'x','arguments':"
		  "'{\\'a\\ud83d\\ude00\\n'}]"),
	  "a",
	  "[Assistant tool calls]: x(0=\"{\", 1=\"\\\"\", 2=\"a\", "
	  "3=\"\\ud83d\", 4=\"\\ude00\", 5=\"\\n\")\n" },
	{ ASSISTANT("a", "null", ""), "a", "[Assistant]: \n" },
	{ MESSAGE("a", "null", "assistant", ",'content':[]")
		  USER("b", "'a'", "x"),
	  "b", "[User]: x\n" },
	/* 3.4: compaction. */
	{ USER("a", "null", "1") USER("b", "'a'", "2")
		  COMPACTION("c", "'b'", "S", KEPT("b")) USER("d", "'c'", "3"),
	  "d", SUMMARY("S") "\n\n[User]: 2\n\n[User]: 3\n" },
	{ USER("a", "null", "1") USER("b", "'a'", "2")
		  COMPACTION("c", "'b'", "S", KEPT("b")),
	  "b", "[User]: 1\n\n[User]: 2\n" },
	{ USER("a", "null", "1") COMPACTION("c", "'a'", "S", KEPT("c"))
		  USER("d", "'c'", "3"),
	  "d", SUMMARY("S") "\n\n[User]: 3\n" },
	{ USER("a", "null", "1") COMPACTION("c", "'a'", "S", KEPT("zz"))
		  USER("d", "'c'", "3"),
	  "d", SUMMARY("S") "\n\n[User]: 3\n" },
	{ USER("a", "null", "1") COMPACTION("c", "'a'", "S", ""), "c",
	  SUMMARY("S") "\n" },
	{ USER("a", "null", "1") COMPACTION("c", "'a'", "S", KEPT("")), "c",
	  SUMMARY("S") "\n" },
	{ USER("a", "null", "1") COMPACTION("c", "'a'", "S", KEPT("d"))
		  USER("d", "'c'", "3"),
	  "d", SUMMARY("S") "\n\n[User]: 3\n" },
	{ USER("a", "null", "1") USER("x", "'a'", "side")
		  COMPACTION("c", "'a'", "S", KEPT("x")),
	  "c", SUMMARY("S") "\n" },
	{ USER("a", "null", "1") COMPACTION("c", "'a'", "", KEPT("a")), "c",
	  SUMMARY("") "\n\n[User]: 1\n" },
	/* Of two the latest; the older one in the kept range is silent. */
	{ USER("a", "null", "1") USER("b", "'a'", "2") COMPACTION(
		  "c", "'b'", "S1", KEPT("b")) USER("d", "'c'", "3")
		  COMPACTION("e", "'d'", "S2", KEPT("b")) USER("f", "'e'", "4"),
	  "f", SUMMARY("S2") "\n\n[User]: 2\n\n[User]: 3\n\n[User]: 4\n" },
	{ USER("a", "null", "1") COMPACTION("c", "'a'", "S1", KEPT("a"))
		  COMPACTION("e", "'a'", "S2", KEPT("e")),
	  "c", SUMMARY("S1") "\n\n[User]: 1\n" },
	/* 3.4.4: edits. */
	{ USER("a", "null", "1") ASSISTANT("b", "'a'", "2")
		  EDIT("c", "'b'", "b", "null") USER("d", "'c'", "3"),
	  "d", "[User]: 1\n\n[User]: 3\n" },
	{ USER("a", "null", "1") ASSISTANT("b", "'a'", "2")
		  EDIT("c", "'b'", "b", "null") USER("d", "'c'", "3"),
	  "b", "[User]: 1\n\n[Assistant]: 2\n" },
	{ USER("a", "null", "1") EDIT("b", "'a'", "a", "{'content':'x'}")
		  EDIT("c", "'b'", "a", "{'content':'y'}"),
	  "c", "[User]: y\n" },
	{ USER("a", "null", "1") EDIT("b", "'a'", "a", "null")
		  EDIT("c", "'b'", "a", "{'content':'y'}"),
	  "c", "[User]: y\n" },
	{ USER("a", "null", "1") EDIT("b", "'a'", "a", "{'content':'x'}")
		  EDIT("c", "'b'", "a", "null"),
	  "c", "" },
	{ USER("a", "null", "1") EDIT("b", "'a'", "zz", "null"), "b",
	  "[User]: 1\n" },
	{ ASSISTANT("a", "null", "1") EDIT("b", "'a'", "a", "{'content':'x'}"),
	  "b", "[Assistant]: x\n" },
	{ MESSAGE("a", "null", "toolResult", ",'content':[]")
		  EDIT("b", "'a'", "a", "{'content':'x'}"),
	  "b", "[Tool result]: x\n" },
	{ ENTRY("custom_message", "a", "null", ",'content':'n'")
		  EDIT("b", "'a'", "a", "{'content':'x'}"),
	  "b", "[User]: x\n" },
	{ ENTRY("branch_summary", "a", "null", ",'summary':'B'")
		  EDIT("b", "'a'", "a", "{'content':'x'}"),
	  "b", BRANCH("B") "\n" },
	{ ENTRY("branch_summary", "a", "null", ",'summary':'B'")
		  EDIT("b", "'a'", "a", "null"),
	  "b", "" },
	/* Only edits among the selected entries count. */
	{ USER("a", "null", "1") EDIT("b", "'a'", "a", "{'content':'x'}")
		  COMPACTION("c", "'b'", "S", KEPT("a")),
	  "c", SUMMARY("S") "\n\n[User]: x\n" },
	{ USER("a", "null", "1") EDIT("b", "'a'", "d", "null")
		  COMPACTION("c", "'b'", "S", KEPT("c")) USER("d", "'c'", "2"),
	  "d", SUMMARY("S") "\n\n[User]: 2\n" },
	{ USER("a", "null", "1") COMPACTION("c", "'a'", "S", KEPT("a"))
		  EDIT("d", "'c'", "c", "null")
			  EDIT("e", "'d'", "a", "{'content':'x'}"),
	  "e", "[User]: x\n" },
	/* 3.5 */
	{ ENTRY("branch_summary", "a", "null", ",'summary':''")
		  ENTRY("branch_summary", "b", "'a'", ",'summary':'B'"),
	  "b", BRANCH("B") "\n" },
	{ ENTRY("custom_message", "a", "null",
		",'content':'note','display':false"),
	  "a", "[User]: note\n" },
	{ MESSAGE("a", "null", "custom", ",'content':'c'"), "a",
	  "[User]: c\n" },
	{ MESSAGE("a", "null", "hookMessage", ",'content':'c'"), "a", "" },
	{ MESSAGE("a", "null", "martian", ",'content':'c'"), "a", "" },
	{ ENTRY("model_change", "a", "null", ",'modelId':'m'") ENTRY(
		  "thinking_level_change", "b", "'a'", ",'thinkingLevel':'x'")
		  ENTRY("usage", "c", "'b'", "") ENTRY("custom", "d", "'c'", "")
			  ENTRY("session_info", "e", "'d'", ",'name':'n'")
				  ENTRY("label", "f", "'e'", "")
					  ENTRY("new", "g", "'f'", ""),
	  "g", "" },
	/* An orphan's path starts there. */
	{ USER("a", "null", "1") USER("b", "'zz'", "2") USER("c", "'b'", "3"),
	  "c", "[User]: 2\n\n[User]: 3\n" },
};

/* bashExecutionToText: members, and the text. */
static const struct {
	const char *members;
	const char *text;
} bash[] = {
	{ ",'command':'make','output':'ok\\n','exitCode':0",
	  "Ran `make`\n```\nok\n\n```" },
	{ ",'command':'x','output':''", "Ran `x`\n(no output)" },
	{ ",'command':'x','output':'','exitCode':null",
	  "Ran `x`\n(no output)" },
	{ ",'command':'x','output':'o','exitCode':2",
	  "Ran `x`\n```\no\n```\n\nCommand exited with code 2" },
	{ ",'command':'x','output':'o','exitCode':-1",
	  "Ran `x`\n```\no\n```\n\nCommand exited with code -1" },
	{ ",'command':'x','output':'o','exitCode':2,'cancelled':true",
	  "Ran `x`\n```\no\n```\n\n(command cancelled)" },
	{ ",'command':'x','output':'o','truncated':true,"
	  "'fullOutputPath':'/tmp/f'",
	  "Ran `x`\n```\no\n```\n\n[Output truncated. Full output: /tmp/f]" },
	{ ",'command':'x','output':'o','truncated':true",
	  "Ran `x`\n```\no\n```" },
	{ ",'command':'x','output':'o','truncated':false,"
	  "'fullOutputPath':'/tmp/f'",
	  "Ran `x`\n```\no\n```" },
	{ ",'command':'x','output':'o','exitCode':1,'truncated':true,"
	  "'fullOutputPath':'/f'",
	  "Ran `x`\n```\no\n```\n\nCommand exited with code 1\n\n"
	  "[Output truncated. Full output: /f]" },
	{ ",'command':'x','output':'o','excludeFromContext':true", NULL },
	{ ",'command':'x','output':'o','excludeFromContext':false",
	  "Ran `x`\n```\no\n```" },
};

#define AT_1 "1772359201000" /* the entries' timestamp */
#define TEXT_BLOCK(text) "[{'type':'text','text':'" text "'}]"

static const struct {
	const char *lines;
	const char *at;
	const char *json;
} jsons[] = {
	{ "", "-", "[]" },
	{ ENTRY("custom", "a", "null", ""), "a", "[]" },
	/* What passes is as it is. */
	{ MESSAGE("a", "null", "user", ",'content':'x','timestamp':7,'odd':[]"),
	  "a", "[{'role':'user','content':'x','timestamp':7,'odd':[]}]" },
	{ USER("a", "null", "\\ud83d\xFF"), "a",
	  "[{'role':'user','content':'\\ud83d\\ufffd','timestamp':7}]" },
	{ SYSTEM("a", "null", "S") ASSISTANT("b", "'a'", "r"), "b",
	  "[{'role':'system','content':'S'},"
	  "{'role':'assistant','content':" TEXT_BLOCK(
		  "r") ",'provider':'prov','model':'m','timestamp':8}]" },
	/* What is made anew. */
	{ MESSAGE("a", "null", "custom", ",'content':'c','timestamp':9")
		  ENTRY("custom_message", "b", "'a'", ",'content':'n'")
			  ENTRY("branch_summary", "c", "'b'", ",'summary':'B'"),
	  "c",
	  "[{'role':'user','content':" TEXT_BLOCK(
		  "c") ",'timestamp':9},"
		       "{'role':'user','content':" TEXT_BLOCK(
			       "n") ",'timestamp':" AT_1 "},"
				    "{'role':'user','content':" TEXT_BLOCK(
					    "The following is a summary of a "
					    "branch that this conversation "
					    "came back from:\\n\\n<summary>"
					    "\\nB</summary>") ",'timestamp'"
							      ":" AT_1 "}]" },
	{ ENTRY("custom_message", "a", "null",
		",'content':[{'type':'image','data':''}]"),
	  "a",
	  "[{'role':'user','content':[{'type':'image','data':''}],"
	  "'timestamp':" AT_1 "}]" },
	{ MESSAGE("a", "null", "compactionSummary",
		  ",'summary':'S','timestamp':9"),
	  "a",
	  "[{'role':'user','content':" TEXT_BLOCK(
		  "The conversation history before this point was compacted "
		  "into the following summary:\\n\\n<summary>\\nS\\n"
		  "</summary>") ",'timestamp':9}]" },
	{ MESSAGE("a", "null", "bashExecution",
		  ",'command':'x','output':'','timestamp':9"),
	  "a",
	  "[{'role':'user','content':" TEXT_BLOCK(
		  "Ran `x`\\n(no output)") ",'timestamp':9}]" },
	{ MESSAGE("a", "null", "bashExecution",
		  ",'command':'x','excludeFromContext':true"),
	  "a", "[]" },
	/* 3.4.3: a compaction's system message; kept ones are dropped. */
	{ SYSTEM("a", "null", "S0") USER("b", "'a'", "q") SYSTEM("c", "'b'",
								 "S1")
		  COMPACTION("d", "'c'", "S",
			     KEPT("b") ",'systemMessage':"
				       "{'role':'system','content':'C'}")
			  SYSTEM("e", "'d'", "S2"),
	  "e",
	  "[{'role':'system','content':'C'},"
	  "{'role':'user','content':" TEXT_BLOCK(
		  "The conversation history before this point was "
		  "compacted "
		  "into the following "
		  "summary:\\n\\n<summary>\\nS\\n</summary>") ",'"
							      "timestamp'"
							      ":" AT_1
							      "},{'role':"
							      "'user','"
							      "content':'"
							      "q','"
							      "timestamp'"
							      ":7},"
							      "{'role':'"
							      "system','"
							      "content':'"
							      "S2'}]" },
	{ SYSTEM("a", "null", "S0") COMPACTION("d", "'a'", "S", KEPT("a")), "d",
	  "[{'role':'user','content':" TEXT_BLOCK("The conversation history "
						  "before this point was "
						  "compacted "
						  "into the following "
						  "summary:\\n\\n<summary>"
						  "\\nS\\n</summary>") ",'"
								       "timesta"
								       "mp'"
								       ":" AT_1
								       "}]" },
	/* 3.4.4: replaced content; a string becomes a block but for users. */
	{ USER("a", "null", "1") EDIT("b", "'a'", "a", "{'content':'x'}"), "b",
	  "[{'role':'user','content':'x','timestamp':7}]" },
	{ ASSISTANT("a", "null", "1") EDIT("b", "'a'", "a", "{'content':'x'}"),
	  "b",
	  "[{'role':'assistant','content':" TEXT_BLOCK(
		  "x") ",'provider':'prov','model':'m','timestamp':8}]" },
	{ MESSAGE("a", "null", "toolResult", ",'toolName':'t','content':[]")
		  EDIT("b", "'a'", "a",
		       "{'content':[{'type':'text','text':'y'}]}"),
	  "b",
	  "[{'role':'toolResult','toolName':'t','content':" TEXT_BLOCK(
		  "y") "}]" },
	{ SYSTEM("a", "null", "S") EDIT("b", "'a'", "a", "{'content':'x'}"),
	  "b", "[{'role':'system','content':'S'}]" },
	/* 3.4.5: content: null */
	{ MESSAGE("a", "null", "user", ",'content':null"), "a",
	  "[{'role':'user','content':[]}]" },
	{ MESSAGE("a", "null", "system", ",'content':null"), "a",
	  "[{'role':'system','content':''}]" },
	{ MESSAGE("a", "null", "assistant", ",'content':null,'model':'m'"), "a",
	  "[{'role':'assistant','content':[],'model':'m'}]" },
	/* Pi leaves this one as it is. */
	{ MESSAGE("a", "null", "custom", ",'content':null,'timestamp':9"), "a",
	  "[{'role':'user','content':null,'timestamp':9}]" },
	{ ENTRY("custom_message", "a", "null", ",'content':null"), "a",
	  "[{'role':'user','content':[],'timestamp':" AT_1 "}]" },
};

static struct session *open_with(const char *lines)
{
	struct buf b = { 0 };
	buf_adds(&b, HEADER);
	buf_adds(&b, lines);
	struct session *s = test_session(buf_cstr(&b));
	buf_free(&b);
	test_row = lines;
	return s;
}

static void check_tables(void)
{
	for (size_t i = 0; i < COUNT(texts); i++) {
		struct session *s = open_with(texts[i].lines);
		check_text(s, test_find(s, texts[i].at), texts[i].text);
		test_close(s);
	}
	for (size_t i = 0; i < COUNT(jsons); i++) {
		struct session *s = open_with(jsons[i].lines);
		check_json(s, test_find(s, jsons[i].at), jsons[i].json);
		test_close(s);
	}
	for (size_t i = 0; i < COUNT(bash); i++) {
		struct buf line = { 0 };
		struct buf want = { 0 };
		buf_addf(&line, MESSAGE("a", "null", "bashExecution", "%s"),
			 bash[i].members);
		if (bash[i].text)
			buf_addf(&want, "[User]: %s\n", bash[i].text);
		struct session *s = open_with(buf_cstr(&line));
		check_text(s, 0, buf_cstr(&want));
		test_close(s);
		buf_free(&line);
		buf_free(&want);
	}
	test_row = NULL;
}

/* The example pi-v1-linear, with what Pi made of it. */
static void check_version_1(void)
{
	struct session *s = test_session(
		"{'type':'session','id':'v1','timestamp':"
		"'2026-03-01T10:00:00.000Z','cwd':'/work/demo'}\n"
		"{'type':'message','message':{'role':'user','content':'one'}}\n"
		"{'type':'message','message':{'role':'assistant','content':"
		"[{'type':'text','text':'two'}]}}\n"
		"{'type':'message','timestamp':'broken\n"
		"{'type':'message','message':{'role':'hookMessage',"
		"'customType':'h','content':'three'}}\n"
		"{'type':'compaction','summary':'S','firstKeptEntryIndex':2}\n"
		"{'type':'message','message':{'role':'user',"
		"'content':'five'}}\n");
	CHECK_INT(s->now.index.n, 5);
	check_text(s, session_at_leaf(s),
		   SUMMARY("S") "\n\n[Assistant]: two\n\n[User]: three\n\n"
				"[User]: five\n");
	test_close(s);

	/* Places: the header is 0, values that are no entries count. */
	static const struct {
		const char *place;
		const char *text;
	} rows[] = {
		{ "0", SUMMARY("S") "\n" },
		{ "1", SUMMARY("S") "\n\n[User]: one\n\n[User]: two\n" },
		{ "2", SUMMARY("S") "\n" },
		{ "3", SUMMARY("S") "\n\n[User]: two\n" },
		{ "4", SUMMARY("S") "\n" },
		{ "99", SUMMARY("S") "\n" },
		{ "-1", SUMMARY("S") "\n" },
		{ "1.5", SUMMARY("S") "\n" },
		{ "null", SUMMARY("S") "\n" },
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct buf b = { 0 };
		buf_addf(&b,
			 "{'type':'session','id':'v1','timestamp':'','cwd':''}"
			 "\n\n{'type':'message','message':{'role':'user',"
			 "'content':'one'}}\nnull\n{bad\n5\n"
			 "{'type':'message','message':{'role':'user',"
			 "'content':'two'}}\n{'type':'compaction',"
			 "'summary':'S','firstKeptEntryIndex':%s}\n",
			 rows[i].place);
		s = test_session(buf_cstr(&b));
		test_row = rows[i].place;
		check_text(s, session_at_leaf(s), rows[i].text);
		test_close(s);
		buf_free(&b);
	}
	test_row = NULL;

	/* Version 2: hookMessage is custom. */
	s = test_session("{'type':'session','version':2,'id':'v2'}\n" MESSAGE(
		"a", "null", "hookMessage", ",'content':'h'"));
	check_text(s, 0, "[User]: h\n");
	test_close(s);
}

/* Tool results are whole, and long paths cost no stack. */
static void check_long(void)
{
	struct buf b = { 0 };
	struct buf want = { 0 };
	buf_adds(&b, HEADER MESSAGE("n0", "null", "toolResult",
				    ",'content':[{'type':'text','text':'"));
	b.len -= strlen("}}\n");
	buf_fill(&b, 'x', 300000);
	buf_adds(&b, "'}]}}\n");
	buf_adds(&want, "[Tool result]: ");
	buf_fill(&want, 'x', 300000);
	for (int i = 1; i < 5000; i++) {
		buf_addf(&b, USER("n%d", "'n%d'", "%d"), i, i - 1, i);
		buf_addf(&want, "\n\n[User]: %d", i);
	}
	buf_adds(&want, "\n");
	struct session *s = test_session(buf_cstr(&b));
	struct buf got = { 0 };
	CHECK_INT(context_add(s, session_at_leaf(s), MESSAGE_FORM_TEXT, &got),
		  0);
	CHECK(span_eq(buf_span(&got), buf_span(&want)));
	test_close(s);
	buf_free(&b);
	buf_free(&want);
	buf_free(&got);
}

int main(void)
{
	check_tables();
	check_version_1();
	check_long();
	return test_done("context");
}
