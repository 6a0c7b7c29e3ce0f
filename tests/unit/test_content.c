#include "core/content.h"

#include "tests/unit/test.h"

/* An entry's line, and what it says. */
static const struct {
	const char *line;
	const char *text;
	unsigned pictures;
} rows[] = {
	{ USER("a", "null", "hello"), "hello\n", 0 },
	{ USER("a", "null", "two\\nlines\\n"), "two\nlines\n", 0 },
	{ USER("a", "null", ""), "", 0 },
	{ USER("a", "null", "\\ud83d\\ude00 \\ud83d"),
	  "\xF0\x9F\x98\x80 \xEF\xBF\xBD\n", 0 },
	{ USER("a", "null", "\xFF"), "\xEF\xBF\xBD\n", 0 },
	{ MESSAGE("a", "null", "user",
		  ",'content':[{'type':'text','text':'one'},"
		  "{'type':'text','text':'two\\n'},"
		  "{'type':'text','text':''},{'type':'text','text':'three'}]"),
	  "one\ntwo\nthree\n", 0 },
	{ MESSAGE("a", "null", "user", ",'content':[]"), "", 0 },
	{ MESSAGE("a", "null", "system", ",'content':'rules'"), "rules\n", 0 },
	{ MESSAGE("a", "null", "toolResult",
		  ",'toolName':'ls','content':[{'type':'text','text':'x'}]"),
	  "x\n", 0 },
	{ ENTRY("custom_message", "a", "null",
		",'customType':'t','content':'note'"),
	  "note\n", 0 },
	{ MESSAGE("a", "null", "assistant",
		  ",'content':[{'type':'thinking','thinking':'hm\\nso'},"
		  "{'type':'text','text':'Look.'},"
		  "{'type':'toolCall','id':'c','name':'write','arguments':{"
		  "'path':'a.c','body':'int x;\\n\\n\\tint y;\\n','n':1.50,"
		  "'2':true,'1':[1, {'k':null}],'empty':'','e\\n':'x'}},"
		  "{'type':'toolCall','id':'d','name':'ls','arguments':{}}]"),
	  "[thinking]\nhm\nso\n\n"
	  "Look.\n\n"
	  "[tool call] write\n"
	  "1: [1,{\"k\":null}]\n"
	  "2: true\n"
	  "path: a.c\n"
	  "body:\n"
	  "  int x;\n"
	  "\n"
	  "  \tint y;\n"
	  "n: 1.5\n"
	  "empty:\n"
	  "e\\n: x\n\n"
	  "[tool call] ls\n",
	  0 },
	{ MESSAGE("a", "null", "user",
		  ",'content':[{'type':'image','mimeType':'image/png',"
		  "'data':'iVBORw0KGgo='},{'type':'text','text':'see'},"
		  "{'type':'image','mimeType':'image/jpeg','data':'YQ=='},"
		  "{'type':'image','data':''},"
		  "{'type':'image','mimeType':'image/svg+xml','data':'YWI='},"
		  "{'type':'image','mimeType':'../../x','data':''}]"),
	  "[image/png 8 bytes: 1.png]\n\nsee\n\n"
	  "[image/jpeg 1 bytes: 2.jpg]\n\n"
	  "[image 0 bytes: 3.bin]\n\n"
	  "[image/svg+xml 2 bytes: 4.svg]\n\n"
	  "[../../x 0 bytes: 5.bin]\n",
	  5 },
	{ MESSAGE("a", "null", "bashExecution",
		  ",'command':'make','output':'ok\\n','exitCode':2"),
	  "Ran `make`\n```\nok\n\n```\n\nCommand exited with code 2\n", 0 },
	{ ENTRY("compaction", "a", "null",
		",'summary':'S','firstKeptEntryId':'x'"),
	  "S\n", 0 },
	{ ENTRY("branch_summary", "a", "null", ",'summary':'B\\n'"), "B\n", 0 },
	{ ENTRY("branch_summary", "a", "null", ",'summary':''"), "", 0 },
	/* Any other type: its own fields. */
	{ ENTRY("new", "a", "null", ",'z':{'b':1,'1':[]},'s':'\\u00e4'"),
	  "{\n  \"z\": {\n    \"1\": [],\n    \"b\": 1\n  },\n"
	  "  \"s\": \"\xC3\xA4\"\n}\n",
	  0 },
	{ ENTRY("new", "a", "null", ""), "{}\n", 0 },
	{ ENTRY("label", "a", "null", ",'targetId':'b'"),
	  "{\n  \"targetId\": \"b\"\n}\n", 0 },
	/* A block of a kind that is not known. */
	{ MESSAGE("a", "null", "user", ",'content':[{'type':'odd','x':[1]}]"),
	  "{\n  \"type\": \"odd\",\n  \"x\": [\n    1\n  ]\n}\n", 0 },
	{ "{'id':'a'}\n", "{}\n", 0 },
};

/* The size and the number of pictures are known before and after. */
static void check_row(const struct session *s, const char *text,
		      unsigned pictures, bool size_first)
{
	struct buf b = { 0 };
	uint64_t size = 0;
	unsigned n = 99;
	if (size_first) {
		CHECK_INT(content_size(s, 0, &size), 0);
		CHECK_INT(size, strlen(text));
	}
	CHECK_INT(content_pictures(s, 0, &n), 0);
	CHECK_INT(n, pictures);
	CHECK_INT(content_add(s, 0, &b), 0);
	CHECK_BUF(&b, text);
	CHECK_INT(content_size(s, 0, &size), 0);
	CHECK_INT(size, strlen(text));
	buf_adds(&b, "before ");
	CHECK_INT(content_add(s, 0, &b), 0);
	CHECK_INT(b.len, size + 7);
	buf_free(&b);
}

static void check_pictures(void)
{
	static const struct {
		const char *name;
		struct span bytes;
	} pictures[] = {
		{ "1.png", SPAN("\x89PNG\r\n\x1A\n") },
		{ "2.bin", SPAN("") },
		{ "3.gif", SPAN("a") },
	};
	struct session *s = test_session(HEADER MESSAGE(
		"a", "null", "toolResult",
		",'content':[{'type':'text','text':'x'},"
		"{'type':'image','mimeType':'image/png',"
		"'data':'iVBORw0KGgo='},"
		"{'type':'image','mimeType':7,'data':''},"
		"{'type':'image','mimeType':'image/none'},"
		"{'type':'image','mimeType':'image/gif','data':'YQ=='}]")
						 USER("b", "null", "none"));
	struct buf b = { 0 };
	for (unsigned i = 0; i < COUNT(pictures); i++) {
		CHECK_INT(content_picture_name(s, 0, i + 1, &b), 0);
		CHECK_BUF(&b, pictures[i].name);
		CHECK_INT(content_add_picture(s, 0, i + 1, &b), 0);
		CHECK_SPAN(buf_span(&b), pictures[i].bytes);
		buf_clear(&b);
	}
	unsigned n = 0;
	CHECK_INT(content_pictures(s, 0, &n), 0);
	CHECK_INT(n, COUNT(pictures));
	static const unsigned none[] = { 0, 4, 1000, UINT_MAX };
	for (size_t i = 0; i < COUNT(none); i++) {
		CHECK_INT(content_picture_name(s, 0, none[i], &b), -ENOENT);
		CHECK_INT(content_add_picture(s, 0, none[i], &b), -ENOENT);
	}
	CHECK_INT(content_picture_name(s, 1, 1, &b), -ENOENT);
	CHECK_INT(b.len, 0);
	test_close(s);
	buf_free(&b);
}

/* NUL is a byte like others, and another line for the id is seen. */
static void check_changes(void)
{
	struct buf b = { 0 };
	uint64_t size = 0;
	struct session *s = test_session(HEADER USER("a", "null", "x\\u0000y"));
	CHECK_INT(content_add(s, 0, &b), 0);
	CHECK_SPAN(buf_span(&b), SPAN("x\0y\n"));
	buf_clear(&b);
	session_leave(s);
	test_append("s.jsonl", USER("a", "null", "longer than that"));
	CHECK_INT(session_enter(s), 0);
	CHECK_INT(content_size(s, 0, &size), 0);
	CHECK_INT(size, strlen("longer than that\n"));
	test_close(s);
	buf_free(&b);
}

int main(void)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		for (int size_first = 0; size_first < 2; size_first++) {
			struct buf text = { 0 };
			test_row = rows[i].line;
			buf_adds(&text, HEADER);
			buf_adds(&text, rows[i].line);
			struct session *s = test_session(buf_cstr(&text));
			CHECK_INT(s->now.index.n, 1);
			if (s->now.index.n == 1)
				check_row(s, rows[i].text, rows[i].pictures,
					  size_first);
			test_close(s);
			buf_free(&text);
		}
	}
	test_row = NULL;
	check_pictures();
	check_changes();
	return test_done("content");
}
