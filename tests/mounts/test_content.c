/* content, meta and pictures of an entry. */
#include "core/base/text.h"
#include "tests/mounts/mounts.h"

#define BRANCHES "pi-v3-branches.jsonl"
#define ONE "by-id/00000001/content"

/* An assistant's message that only calls a tool. */
#define CALLS(name, arguments)                                          \
	MESSAGE("00000001", "null", "assistant",                        \
		",'content':[{'type':'toolCall','id':'c','name':'" name \
		"','arguments':{" arguments "}}]")

static void blocks(void)
{
	mount_fixture(BRANCHES);
	CHECK_FILE("by-id/aa000005/content", "[thinking]\n"
					     "hidden\n"
					     "\n"
					     "Looking.\n"
					     "\n"
					     "[tool call] read\n"
					     "1[0]: 1\n"
					     "1[1].k: null\n"
					     "2: true\n"
					     "path: a.c\n"
					     "limit: 10\n"
					     "\n"
					     "[tool call] ls\n");
	CHECK_FILE("by-id/aa000006/content", "line \"1\"\nline 2\n");
	CHECK_FILE("by-id/aa000018/content", "Injected note\n");
	CHECK_FILE("by-id/aa000012/content", "Tried B; it was worse.\n");
	CHECK_FILE("by-id/aa000019/content", "Ran `make`\n"
					     "```\n"
					     "ok\n"
					     "\n"
					     "```\n"
					     "\n"
					     "Command exited with code 2\n");
}

static void several_lines(void)
{
	mount_lines(HEADER CALLS("write",
				 "'path':'a b.c',"
				 "'content':'int x;\\n\\n\\tif (x)\\n',"
				 "'n':1.50,'deep':{'2':1,'b':'\\u00e9'},"
				 "'empty':''"));
	CHECK_FILE(ONE, "[tool call] write\n"
			"path: a b.c\n"
			"content:\n"
			"  int x;\n"
			"\n"
			"  \tif (x)\n"
			"n: 1.5\n"
			"deep.2: 1\n"
			"deep.b: é\n"
			"empty:\n");
}

/* Does grep find this text in one content only? */
static void check_grep(const char *text, const char *path)
{
	CHECK_INT(HEAR("grep", "-rlF", "--include=content", text, "by-id"), 0);
	buf_addc(&mounts_output, '\0');
	CHECK_SPAN(span_of(mounts_output.data), span_of(path));
}

/* Pi's edit tool has its changes in a list of objects. */
static void nested(void)
{
	mount_lines(HEADER CALLS("edit",
				 "'path':'fs/kernel/ops.c','edits':[{'oldText':"
				 "'#include \\'core/head.h\\'','newText':"
				 "'#include \\'core/head.h\\'\\n"
				 "#include \\'fs/edit/head.h\\'\\n'},"
				 "{'oldText':'a','newText':''}],'none':[],"
				 "'odd key':{'':{}}"));
	CHECK_FILE(ONE, "[tool call] edit\n"
			"path: fs/kernel/ops.c\n"
			"edits[0].oldText: #include \"core/head.h\"\n"
			"edits[0].newText:\n"
			"  #include \"core/head.h\"\n"
			"  #include \"fs/edit/head.h\"\n"
			"edits[1].oldText: a\n"
			"edits[1].newText:\n"
			"none: []\n"
			"[\"odd key\"][\"\"]: {}\n");
	check_grep("#include \"fs/edit/head.h\"", ONE "\n");
}

static size_t count(struct span s, char c)
{
	size_t n = 0;
	for (size_t i = 0; i < s.n; i++)
		n += s.p[i] == c;
	return n;
}

/* The size is requested first, for arguments that are wide and deep. */
static void size_before_reading(void)
{
	enum { WIDE = 100000, DEEP = 50000, KEY = 300 };
	struct buf arguments = { 0 }, session = { 0 }, want = { 0 };
	buf_adds(&arguments, "'wide':[");
	for (int i = 0; i < WIDE; i++)
		buf_adds(&arguments, i > 0 ? ",'\\u00e9\\n'" : "'\\u00e9\\n'");
	buf_adds(&arguments, "],'deep':");
	buf_fill(&arguments, '[', DEEP);
	buf_fill(&arguments, ']', DEEP);
	buf_adds(&arguments, ",'odd':{'");
	buf_fill(&arguments, 'k', KEY);
	buf_adds(&arguments, "':{'in':['#']}}");
	buf_addc(&arguments, '\0');
	buf_addf(&session, HEADER CALLS("t", "%s"), buf_cstr(&arguments));
	buf_addc(&session, '\0');
	mount_lines(session.data);
	buf_free(&arguments);
	buf_free(&session);

	off_t size = stat_of(ONE).st_size;
	struct span text = text_of(ONE), deep = SPAN("");
	CHECK_INT(text.n, size);
	CHECK(text_is_utf8(text));
	CHECK(span_has(text, "\nwide[0]:\n  é\n"));
	CHECK(span_has(text, "\nwide[99999]:\n  é\n"));
	for (struct span rest = text; rest.n > 0 && deep.n == 0;) {
		struct span line = span_next_line(&rest);
		if (span_starts(line, SPAN("deep[0]")))
			deep = line;
	}
	CHECK_INT(count(deep, '['), DEEP);
	CHECK_INT(count(deep, ']'), DEEP);
	CHECK(deep.n < 2 * DEEP + 256);
	buf_adds(&want, "\nodd.");
	buf_fill(&want, 'k', KEY);
	buf_adds(&want, ": {\"in\":[\"#\"]}\n");
	CHECK(memmem(text.p, text.n, want.data, want.len));
	buf_free(&want);
}

/* Is one text behind the other in a line of tree.txt? */
static bool is_drawn(const char *first, const char *second)
{
	for (struct span rest = text_of("tree.txt"); rest.n > 0;) {
		struct span line = span_next_line(&rest);
		const char *at = memmem(line.p, line.n, first, strlen(first));
		if (at && memmem(at, (size_t)(line.p + line.n - at), second,
				 strlen(second)))
			return true;
	}
	return false;
}

/* Pi 1.5.2 writes its prompt as sections, beside a content that is empty. */
static void system_prompt(void)
{
	mount_lines(HEADER MESSAGE(
		"00000001", "null", "system",
		",'content':'','sections':{'preamble':"
		"'You are a coding assistant.','rules':"
		"'<rules>\\n- Be concise\\n</rules>'},'toolsAdded':["
		"{'name':'read','description':'d','parameters':{}},"
		"{'name':'bash','description':'d','parameters':{}}],"
		"'timestamp':1772359201000")
			    USER("00000002", "'00000001'", "go")
				    MESSAGE("00000003", "'00000002'", "system",
					    ",'content':'','sections':{"
					    "'rules':null},'toolsRemoved':["
					    "{'name':'bash'}],"
					    "'timestamp':1772359202000"));
	CHECK_FILE(ONE, "You are a coding assistant.\n"
			"\n"
			"<rules>\n"
			"- Be concise\n"
			"</rules>\n"
			"\n"
			"[tools added] read, bash\n");
	CHECK_FILE("by-id/00000003/content", "[section removed] rules\n"
					     "[tools removed] bash\n");
	check_grep("Be concise", ONE "\n");
	CHECK(is_drawn("system ",
		       "You are a coding assistant. <rules> - Be concise"));
	CHECK(is_drawn("system ",
		       "[section removed] rules [tools removed] bash"));
	CHECK_HAS("tree.html", "Be concise");
}

static void decoded(void)
{
	mount_lines(HEADER USER("00000001", "null",
				"a\\u0000b \\ud83d\\ude00 \\ud83d. \\u00e9")
			    ENTRY("message", "00000002", "null",
				  ",'message':{'role':'user','content':"
				  "'bad \xff byte'}"));
	CHECK_SPAN(text_of(ONE), SPAN("a\0b \xf0\x9f\x98\x80 \xef\xbf\xbd. "
				      "\xc3\xa9\n"));
	CHECK_FILE("by-id/00000002/content", "bad \xef\xbf\xbd byte\n");
	CHECK_SPAN(text_of("by-id/00000001/context.txt"),
		   SPAN("[User]: a\0b \xf0\x9f\x98\x80 \xef\xbf\xbd. "
			"\xc3\xa9\n"));
}

static void equal_keys(void)
{
	mount_lines(HEADER
		    "{'type':'custom','type':'message','id':'0000000x',"
		    "'id':'00000001','parentId':'zzz','parentId':null,"
		    "'message':{'role':'assistant'},'message':{'role':'user',"
		    "'content':'first','content':'second'}}\n");
	CHECK_NAMES("by-id", "00000001 ");
	CHECK_FILE(ONE, "second\n");
	CHECK_FILE("context.txt", "[User]: second\n");
}

static void other_types(void)
{
	mount_fixture(BRANCHES);
	CHECK_FILE("by-id/aa000001/content", "{\n"
					     "  \"provider\": \"prov\",\n"
					     "  \"modelId\": \"model-a\"\n"
					     "}\n");
	CHECK_FILE("by-id/aa000016/content", "{\n"
					     "  \"targetId\": \"aa000004\"\n"
					     "}\n");
	test_file("session.jsonl",
		  HEADER "{'type':'future','id':'00000001','parentId':null,"
			 "'timestamp':'x','a':[],'b':{'1':{}}}\n");
	CHECK_FILE(ONE, "{\n"
			"  \"a\": [],\n"
			"  \"b\": {\n"
			"    \"1\": {}\n"
			"  }\n"
			"}\n");
}

static void nothing_is_cut(void)
{
	char text[5001], session[8000], want[5100];
	memset(text, 'x', 5000);
	text[5000] = '\0';
	snprintf(session, sizeof(session),
		 HEADER MESSAGE("00000001", "null", "toolResult",
				",'toolCallId':'c','toolName':'t',"
				"'content':[{'type':'text','text':'%s'}]")
			 USER("00000002", "'00000001'", ""),
		 text);
	mount_lines(session);
	snprintf(want, sizeof(want), "%s\n", text);
	CHECK_FILE(ONE, want);
	snprintf(want, sizeof(want), "[Tool result]: %s\n", text);
	CHECK_FILE("context.txt", want);
	CHECK_FILE("by-id/00000002/content", "");
}

#define PNG                                                                  \
	"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDw" \
	"ADhgGAWjR9awAAAABJRU5ErkJggg=="

static void pictures(void)
{
	static const unsigned char png[] = {
		0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00,
		0x00, 0x0d, 0x49, 0x48, 0x44, 0x52, 0x00, 0x00, 0x00, 0x01,
		0x00, 0x00, 0x00, 0x01, 0x08, 0x06, 0x00, 0x00, 0x00, 0x1f,
		0x15, 0xc4, 0x89, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x44, 0x41,
		0x54, 0x78, 0xda, 0x63, 0x64, 0xf8, 0xcf, 0x50, 0x0f, 0x00,
		0x03, 0x86, 0x01, 0x80, 0x5a, 0x34, 0x7d, 0x6b, 0x00, 0x00,
		0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82,
	};
	const struct span bytes = { (const char *)png, sizeof(png) };
	mount_lines(HEADER MESSAGE(
		"00000001", "null", "user",
		",'content':[{'type':'image','data':'" PNG
		"','mimeType':'image/png'},{'type':'text','text':'and'},"
		"{'type':'image','data':'/9j/','mimeType':'image/jpeg'},"
		"{'type':'image','data':'PHN2Zy8+',"
		"'mimeType':'image/svg+xml'},"
		"{'type':'image','data':'AAEC'}]"));
	CHECK_NAMES("by-id/00000001",
		    "1.png 2.jpg 3.svg 4.bin content label meta ");
	CHECK_SPAN(text_of("by-id/00000001/1.png"), bytes);
	CHECK_SPAN(text_of("tree/00000001/1.png"), bytes);
	CHECK_FILE("by-id/00000001/3.svg", "<svg/>");
	CHECK_FILE(ONE, "[image/png 70 bytes: 1.png]\n"
			"\n"
			"and\n"
			"\n"
			"[image/jpeg 3 bytes: 2.jpg]\n"
			"\n"
			"[image/svg+xml 6 bytes: 3.svg]\n"
			"\n"
			"[image 3 bytes: 4.bin]\n");
	CHECK_FILE("by-id/00000001/5.png", strerror(ENOENT));
	CHECK_FILE("by-id/00000001/1.jpg", strerror(ENOENT));
}

/* Picture N, for each N, is N dots; they are png and jpeg by turns. */
static void many_pictures(void)
{
	enum { N = 4000 };
	static const char *const ends[] = { "png", "jpg" }, *const types[] = {
		"png", "jpeg"
	};
	struct buf b = { 0 }, dots = { 0 };
	struct stat st;
	buf_adds(&b, "[");
	for (int i = 1; i <= N; i++) {
		buf_adds(&b, i > 1 ? ",{'type':'image','data':'"
				   : "{'type':'image','data':'");
		for (int k = 0; k < i / 3; k++)
			buf_adds(&b, "Li4u");
		buf_adds(&b, i % 3 == 1 ? "Lg==" : i % 3 == 2 ? "Li4=" : "");
		buf_addf(&b, "','mimeType':'image/%s'}", types[i % 2]);
	}
	buf_adds(&b, "]");
	buf_addc(&b, '\0');
	struct buf session = { 0 };
	buf_addf(&session,
		 HEADER MESSAGE("00000001", "null", "toolResult",
				",'toolName':'t','content':%s"),
		 b.data);
	buf_addc(&session, '\0');
	mount_lines(session.data);
	buf_free(&session);
	buf_free(&b);
	buf_fill(&dots, '.', N);
	for (int i = 1; i <= N; i++) {
		char path[64];
		snprintf(path, sizeof(path), "by-id/00000001/%d.%s", i,
			 ends[i % 2]);
		test_row = path;
		CHECK_INT(stat_of(path).st_size, i);
		CHECK_SPAN(text_of(path),
			   ((struct span){ dots.data, (size_t)i }));
		test_row = NULL;
	}
	buf_free(&dots);
	/* All are listed, and nothing else but these three files. */
	CHECK_INT(test_count_names("by-id/00000001", ""), N + 3);
	CHECK_INT(ERRNO(stat("by-id/00000001/1.png", &st)), ENOENT);
	CHECK_INT(ERRNO(stat("by-id/00000001/4001.jpg", &st)), ENOENT);
	CHECK_HAS(ONE, "\n[image/png 4000 bytes: 4000.png]\n");
}

/* Rules: E1 */
static void meta(void)
{
	mount_fixture(BRANCHES);
	CHECK_FILE("by-id/aa000005/meta",
		   "id: aa000005\n"
		   "parent: aa000004\n"
		   "type: message\n"
		   "timestamp: 2026-03-01T10:00:04.000Z\n"
		   "line: 5\n"
		   "role: assistant\n"
		   "model: prov/model-a\n"
		   "tokens: 2\n"
		   "cost: 0\n"
		   "stop: toolUse\n"
		   "tool: read, ls\n"
		   "path-tokens: 2\n");
	CHECK_FILE("by-id/aa000007/meta",
		   "id: aa000007\n"
		   "parent: aa000006\n"
		   "type: message\n"
		   "timestamp: 2026-03-01T10:00:06.000Z\n"
		   "line: 7\n"
		   "role: toolResult\n"
		   "tool: ls\n"
		   "error: yes\n"
		   "path-tokens: 2\n");
}

static void values_stay_on_their_lines(void)
{
	static const char path[] = "by-id/a%0Aid: b/meta";
	mount_lines(
		HEADER MESSAGE("a\\nid: b", "null", "us\\ner", ",'content':'x'")
			ENTRY("session_info", "2", "null",
			      ",'name':' two\\nlines '"));
	CHECK(span_starts(text_of(path), SPAN("id: a\\nid: b\n")));
	CHECK_VALUE(path, "role", "us\\ner");
	CHECK_VALUE("info", "name", "two\\nlines");
}

static const struct mounts_test tests[] = {
	TEST("text, thinking, tool calls and pictures of a message", blocks),
	TEST("a string of several lines in a tool call is unescaped and "
	     "indented",
	     several_lines),
	TEST("nested arguments are flattened, so that grep finds the lines in "
	     "them",
	     nested),
	TEST("the size of flattened arguments is exact before the first read",
	     size_before_reading),
	TEST("Pi's system prompt is found in content, tree.txt and tree.html",
	     system_prompt),
	TEST("strings are decoded wholly: NUL, pairs, lone surrogates, invalid "
	     "UTF-8",
	     decoded),
	TEST("of two equal keys the last counts", equal_keys),
	TEST("other types show their own fields as indented JSON", other_types),
	TEST("nothing is cut, and an empty message is an empty file",
	     nothing_is_cut),
	TEST("pictures are files of their own, decoded", pictures),
	FULL_TEST("thousands of pictures in one message: names, sizes and "
		  "bytes",
		  many_pictures),
	TEST("meta says what an entry is, a line for each thing it has", meta),
	TEST("a value in meta or info stays on its line",
	     values_stay_on_their_lines),
};
RUN_TESTS(tests)
