/* The kind and the words of entries: every tool of every dialect. */
#include "core/show/words.h"

#include "core/base/text.h"
#include "tests/unit/dialect_test.h"
#include "tests/unit/no_memory.h"

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
	CHECK(columns_of(words) <= most);
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

/* -- results */

#define CALL(id, name, arguments)                        \
	"{'type':'toolCall','id':'" id "','name':'" name \
	"','arguments':" arguments "}"
#define CALLS(id, parent, calls) \
	MESSAGE(id, parent, "assistant", ",'content':[" calls "]")
#define RESULT(id, parent, call, rest)    \
	MESSAGE(id, parent, "toolResult", \
		",'toolCallId':'" call "','toolName':'tool'" rest)
#define SAYS(text) ",'content':[{'type':'text','text':'" text "'}]"

/*
 * An id that is too long is not found: the result has the name of its own
 * tool.
 */
TEST(check_limits)
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

/* Colors take no room from the words, and a cut leaves nothing of them. */
TEST(check_colors)
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

/* -- cutting */

TEST(check_cuts)
{
	test_copy("s.jsonl", "words");
	struct session *s = dialect_open("s.jsonl", NULL);
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

TEST(check_hostile)
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

/* A text that can't be made plain fails what it is to be in. */
TEST(check_plain_without_memory)
{
	bool made = false;
	memory_returns = true;
	for (unsigned n = 0; !made; n++) {
		struct buf out = { 0 };
		struct buf text = BUF_INTO(&out);
		buf_adds(&text, "a  text with more bytes than a first piece of "
				"memory for a buffer has, to be made plain");
		memory_left = n;
		no_memory = true;
		words_make_plain(&text, 1000);
		made = no_memory;
		no_memory = false;
		CHECK(out.failed == !made);
		buf_free(&text);
		buf_free(&out);
	}
	memory_returns = false;
}

/*
 * The words do not depend on what was asked before: with and without a memory,
 * in every order. 200 results in a row, the last of which are too far below.
 */
TEST(check_memory)
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
TEST(check_large)
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

RUN_TESTS("words")
