/* The JSON in as/: what the APIs of models take. tests/lib/apis.py refuses what
 * they refuse. */
#include "tests/mounts/mounts.h"

static const char *const forms[] = { "as/anthropic.json", "as/openai.json",
				     "as/responses.json" };

/* No API refuses the contexts of the folders that a pattern of sh names. */
static void check_taken(const char *folders)
{
	char command[128];
	snprintf(command, sizeof(command), "exec python3 \"$1\" %s", folders);
	if (!CHECK_INT(
		    HEAR("sh", "-c", command, "-", fixture("../lib/apis.py")),
		    0))
		test_print("said", buf_span(&mounts_output));
}

/* The same of a session, and of each of its entries. */
static void check_all_taken(void)
{
	check_taken(". by-id/*/");
}

/* No form has this text. */
static void check_none_has(const char *words)
{
	for (size_t i = 0; i < COUNT(forms); i++) {
		test_row = forms[i];
		cJSON_Delete(parsed(forms[i]));
		CHECK(!has(forms[i], words));
	}
	test_row = NULL;
}

static const cJSON *field(const cJSON *of, const char *name)
{
	return cJSON_GetObjectItemCaseSensitive(of, name);
}

/* A member's text, "-" without one. */
static struct span text_in(const cJSON *of, const char *name)
{
	const char *s = cJSON_GetStringValue(field(of, name));
	return span_of(s ? s : "-");
}

static bool says(const cJSON *of, const char *name, const char *want)
{
	return span_eq(text_in(of, name), span_of(want));
}

static void of_every_format(void)
{
	CHECK(copy_fixtures("all", ".json") > 0);
	mount_source(test_path("all"));
	check_taken("*/ */by-id/*/");
}

/* A message of a session, with values in JSON. */
struct said {
	const char *role;
	const char *content;
	const char *more; /* members, each after a comma; or NULL */
};

/* Write a session of Pi with a chain of messages. */
static void write_pi(const struct said *list, size_t n)
{
	struct buf b = { 0 };
	buf_adds(&b, "{'type':'session','version':3,"
		     "'id':'0198f000-0000-7000-8000-000000000001',"
		     "'timestamp':'2026-01-05T09:00:00.000Z','cwd':'/w'}\n");
	for (size_t i = 0; i < n; i++) {
		char up[32] = "null";
		if (i > 0)
			snprintf(up, sizeof(up), "'e%07zu'", i);
		buf_addf(&b,
			 "{'type':'message','id':'e%07zu','parentId':%s,"
			 "'timestamp':'2026-01-05T09:00:00.000Z',"
			 "'message':{'role':'%s','content':%s%s}}\n",
			 i + 1, up, list[i].role, list[i].content,
			 list[i].more ? list[i].more : "");
	}
	test_file("session.jsonl", buf_cstr(&b));
	buf_free(&b);
}

#define TEN(text) text text text text text text text text text text
#define HUNDRED(text) TEN(TEN(text))
#define X500 HUNDRED("xxxxx")
#define N200 HUNDRED("nn")
#define RESULT_OF(id) ",'toolCallId':'" id "','toolName':'ls'"
#define PNG "iVBORw0KGgo="

static const struct said any_order[] = {
	{ "assistant", "[{'type':'text','text':'I begin. '}]", NULL },
	{ "assistant",
	  "[{'type':'text','text':'\\ud800 half \\udc00'},"
	  "{'type':'toolCall','id':'same','name':'ls','arguments':{}},"
	  "{'type':'toolCall','id':'same','name':'ls','arguments':{}},"
	  "{'type':'toolCall','id':'','name':'ls','arguments':{}},"
	  "{'type':'toolCall','id':'" X500 "','name':'ls','arguments':{}},"
	  "{'type':'toolCall','id':'\\u00fc/\\u00f6','name':'ls',"
	  "'arguments':{}}]",
	  NULL },
	{ "user", "'between'", NULL },
	{ "toolResult", "'ok'", RESULT_OF("same") },
	{ "toolResult", "'orphan'", RESULT_OF("never called") },
	{ "toolResult", "[]", RESULT_OF(X500) },
	{ "toolResult",
	  "[{'type':'text','text':' '},{'type':'text','text':''}]",
	  RESULT_OF("same") ",'isError':true" },
	{ "assistant",
	  "[{'type':'toolCall','id':'late','name':'ls','arguments':{}},"
	  "{'type':'toolCall','id':'same','name':'no such name: " N200
	  "','arguments':[1,2]},"
	  "{'type':'toolCall','id':'a','name':'','arguments':'text'},"
	  "{'type':'toolCall','id':'b','name':'b','arguments':null}]",
	  NULL },
	{ "assistant",
	  "[{'type':'toolCall'},"
	  "{'type':'toolCall','id':7,'name':8,'arguments':9}]",
	  NULL },
	{ "assistant",
	  "[{'type':'toolCall','id':'call_1','name':'ls','arguments':{}},"
	  "{'type':'toolCall','id':'call_2','name':'ls','arguments':{}},"
	  "{'type':'toolCall','id':' ','name':'ls','arguments':{}}]",
	  NULL },
	{ "toolResult",
	  "[{'type':'image','data':'" PNG "','mimeType':'image/png'},"
	  "{'type':'image','data':'AAAA','mimeType':'image/bmp'},"
	  "{'type':'image','data':'','mimeType':''},"
	  "{'type':'image','data':'not base64!','mimeType':'image/png'},"
	  "{'type':'image','data':'" PNG "','mimeType':'image/jpeg'}]",
	  RESULT_OF("late") ",'isError':true" },
	{ "toolResult", "{'type':'text','text':'an object'}", RESULT_OF("a") },
	{ "user",
	  "[{'type':'toolCall','id':'of the user','name':'ls',"
	  "'arguments':{}},"
	  "{'type':'image','data':'https://example.org/a.png',"
	  "'mimeType':'image/png'},"
	  "{'type':'image','data':'http://example.org/a.png',"
	  "'mimeType':'image/png'},"
	  "{'type':'image','data':'data:image/gif;base64,"
	  "R0lGODlhAQABAAAAACw=','mimeType':'image/png'}]",
	  NULL },
	{ "assistant",
	  "[{'type':'thinking','thinking':'hm','thinkingSignature':'sig'},"
	  "{'type':'image','data':'" PNG "','mimeType':'image/png'},"
	  "{'type':'odd','a':{'b':[1,'two\\nlines']}},null,5,'s']",
	  NULL },
	{ "user", "[]", NULL },
	{ "user", "'   '", NULL },
	{ "user", "'so?'", NULL },
	{ "assistant", "[{'type':'text','text':'The end.\\n\\n \\t'}]", NULL },
};

/* The ids of calls that are "call_1" or "call_2". */
static void add_calls(const cJSON *messages, struct buf *ids)
{
	const cJSON *message, *block;
	for (message = children_of(messages); message;
	     message = message->next) {
		for (block = children_of(field(message, "content")); block;
		     block = block->next) {
			if (says(block, "id", "call_1") ||
			    says(block, "id", "call_2"))
				buf_addf(ids, "%s ", text_in(block, "id").p);
		}
	}
}

static const cJSON *last_of(const cJSON *array)
{
	return cJSON_GetArrayItem(array, cJSON_GetArraySize(array) - 1);
}

static void in_any_order(void)
{
	struct buf ids = { 0 };
	unsigned unknown = 0;
	const cJSON *item;
	write_pi(any_order, COUNT(any_order));
	mount_session();
	check_all_taken();
	cJSON *json = parsed("as/anthropic.json");
	CHECK_SPAN(text_in(last_of(field(last_of(json), "content")), "text"),
		   SPAN("The end."));
	CHECK_SPAN(text_in(cJSON_GetArrayItem(field(cJSON_GetArrayItem(json, 0),
						    "content"),
					      0),
			   "text"),
		   SPAN("(continued)"));
	add_calls(json, &ids);
	CHECK_BUF(&ids, "call_1 call_2 ");
	cJSON_Delete(json);
	json = parsed("as/responses.json");
	for (item = children_of(json); item; item = item->next) {
		unknown += says(item, "type", "custom_tool_call") &&
			   says(item, "input", "text") &&
			   says(item, "name", "unknown");
	}
	CHECK(unknown > 0);
	cJSON_Delete(json);
	CHECK_HAS("as/openai.json", "[picture image/bmp 3 bytes]");
	check_none_has("sig\"");
	buf_free(&ids);
}

/* Write a session of Claude Code with a chain of messages. */
static void write_claude(const struct said *list, size_t n)
{
	struct buf b = { 0 };
	for (size_t i = 0; i < n; i++) {
		char up[64] = "null";
		if (i > 0)
			snprintf(up, sizeof(up),
				 "'00000000-0000-4000-8000-%012zu'", i);
		buf_addf(&b,
			 "{'parentUuid':%s,'isSidechain':false,"
			 "'userType':'external','cwd':'/w',"
			 "'sessionId':'0198f000-0000-7000-8000-000000000001',"
			 "'version':'2.1.332','type':'%s',"
			 "'message':{'role':'%s','content':%s%s},"
			 "'uuid':'00000000-0000-4000-8000-%012zu',"
			 "'timestamp':'2026-01-05T09:00:%02zu.000Z'}\n",
			 up, list[i].role, list[i].role, list[i].content,
			 list[i].more ? list[i].more : "", i + 1, i + 1);
	}
	test_file("session.jsonl", buf_cstr(&b));
	buf_free(&b);
}

static const struct said documents[] = {
	{ "user",
	  "[{'type':'text','text':'look'},"
	  "{'type':'document','source':{'type':'base64',"
	  "'media_type':'application/pdf','data':'JVBERi0='},'title':'T',"
	  "'cache_control':{'type':'ephemeral'}},"
	  "{'type':'document','source':{'type':'text',"
	  "'media_type':'text/plain','data':'its words'}},"
	  "{'type':'document','source':{'type':'url',"
	  "'url':'https://example.org/a.pdf'}},"
	  "{'type':'document','source':{'type':'file','file_id':'file_1'}},"
	  "{'type':'document','source':{'type':'base64',"
	  "'media_type':'application/zip','data':'UEs='}}]",
	  NULL },
	{ "assistant",
	  "[{'type':'server_tool_use','id':'srvtoolu_1','name':'web_search',"
	  "'input':{'query':'q'}},"
	  "{'type':'web_search_tool_result','tool_use_id':'srvtoolu_1',"
	  "'content':[{'type':'web_search_result','url':'https://e.org',"
	  "'title':'A title','encrypted_content':'SECRET'}]},"
	  "{'type':'tool_use','id':'toolu_1','name':'Read','input':{}},"
	  "{'type':'tool_use','id':'toolu_2','name':'Read','input':{}}]",
	  ",'model':'claude-opus-4-1','id':'m2'" },
	{ "user",
	  "[{'type':'tool_result','tool_use_id':'toolu_1'},"
	  "{'type':'tool_result','tool_use_id':'toolu_2','is_error':true,"
	  "'content':[{'type':'document','source':{'type':'text',"
	  "'media_type':'text/plain','data':'inner'}},"
	  "{'type':'image','source':{'type':'url',"
	  "'url':'https://example.org/b.png'}}]}]",
	  NULL },
};

static void documents_and_tools(void)
{
	static const char *const words[] = {
		"[document application/pdf 5 bytes]",
		"its words",
		"[document https://example.org/a.pdf]",
		"file_id: file_1",
		"title: A title",
	};
	struct buf types = { 0 };
	const cJSON *block;
	write_claude(documents, COUNT(documents));
	mount_session();
	check_all_taken();
	cJSON *json = parsed("as/anthropic.json");
	const cJSON *content = field(cJSON_GetArrayItem(json, 0), "content");
	for (block = children_of(content); block; block = block->next) {
		if (says(block, "type", "document"))
			buf_addf(&types, "%s ",
				 text_in(field(block, "source"), "media_type")
					 .p);
	}
	CHECK_BUF(&types, "application/pdf text/plain - ");
	cJSON_Delete(json);
	for (size_t i = 0; i < COUNT(words); i++) {
		test_row = words[i];
		CHECK_HAS("as/openai.json", words[i]);
		CHECK_HAS("as/responses.json", words[i]);
	}
	test_row = NULL;
	check_none_has("SECRET");
	check_none_has("cache_control");
	buf_free(&types);
}

static void of_nothing(void)
{
	size_t n = 0;
	mount_lines(HEADER);
	check_taken(".");
	for (size_t i = 0; i < COUNT(forms); i++)
		CHECK_JSON(forms[i], "[]");
	for (struct span rest = names_in("as"); rest.n > 0;)
		n += span_ends(span_next(&rest, ' '), SPAN(".json"));
	CHECK_INT(n, COUNT(forms));
}

/* The lines of info that begin so. */
static struct span over_window(void)
{
	static struct buf lines;
	buf_clear(&lines);
	for (struct span rest = text_of("info"); rest.n > 0;) {
		struct span line = span_next_line(&rest);
		if (!memmem(line.p, line.n, "over-window", 11))
			continue;
		buf_add(&lines, line);
		buf_addc(&lines, '\n');
	}
	return buf_span(&lines);
}

static void too_large(void)
{
	struct buf b = { 0 };
	buf_adds(&b, HEADER);
	buf_adds(&b, "{'type':'message','id':'e0000001','parentId':null,"
		     "'timestamp':'2026-03-01T10:00:01.000Z',"
		     "'message':{'role':'user','content':'");
	buf_fill(&b, '0', 900000);
	buf_adds(&b, "','timestamp':1772359201000}}\n"
		     "{'type':'message','id':'e0000002',"
		     "'parentId':'e0000001',"
		     "'timestamp':'2026-03-01T10:00:01.000Z',"
		     "'message':{'role':'assistant',"
		     "'content':[{'type':'text','text':'");
	buf_fill(&b, '0', 400000);
	buf_adds(&b, "'}]}}\n");
	mount_lines(buf_cstr(&b));
	buf_free(&b);
	CHECK_SPAN(over_window(),
		   SPAN("over-window: omp (about 325001 tokens of 272000)\n"
			"over-window: codex (about 325001 tokens of "
			"272000)\n"
			"over-window: qwen (about 325001 tokens of "
			"262144)\n"));
	CHECK_INT(move_head("by-id/e0000001"), 0);
	CHECK_VALUE("info", "dialect", "pi");
	CHECK_SPAN(over_window(), SPAN(""));
	unmount();
	mount_fixture("pi-v3-branches.jsonl");
	CHECK_VALUE("info", "dialect", "pi");
	CHECK_SPAN(over_window(), SPAN(""));
}

static const struct mounts_test tests[] = {
	TEST("the APIs take every entry of every format's sessions",
	     of_every_format),
	TEST("the APIs take calls and results in any order, with any ids, "
	     "names and arguments",
	     in_any_order),
	TEST("the APIs take documents, tools of the server and results without "
	     "a content",
	     documents_and_tools),
	TEST("a session that says nothing is [], before its first entry, too",
	     of_nothing),
	TEST("info names agents whose usual models do not take so large a "
	     "context, and no others",
	     too_large),
};
RUN_TESTS(tests)
