#include "core/catalogue/summary.h"

#include "core/base/text.h"
#include "core/json/timestamp.h"
#include "tests/unit/test.h"

/* The line of a session with the path "p". */
static struct buf line_of(const char *text)
{
	struct session *s = test_session(text);
	struct summary m = { 0 };
	struct summary again;
	struct buf line = { 0 };
	struct buf same = { 0 };
	CHECK_INT(summary_make(s, &m), 0);
	summary_add_line(&m, SPAN("p"), &line);
	CHECK(summary_unpack(NULL, buf_span(&m.packed), &again));
	summary_add_line(&again, SPAN("p"), &same);
	CHECK_SPAN(buf_span(&same), buf_span(&line));
	summary_free(&again);
	summary_free(&m);
	buf_free(&same);
	test_close(s);
	return line;
}

static void check_line(const char *text, const char *want)
{
	struct buf line = line_of(text);
	CHECK_BUF(&line, want);
	buf_free(&line);
}

/* The last column. */
static void check_words(const char *text, const char *want)
{
	struct buf line = line_of(text);
	const char *tab = memrchr(line.data, '\t', line.len);
	test_row = want;
	if (CHECK(tab))
		CHECK_SPAN(
			((struct span){
				tab + 1,
				line.len - (size_t)(tab + 1 - line.data) - 1 }),
			span_of(want));
	test_row = NULL;
	buf_free(&line);
}

#define CLAUDE(id, parent, type, rest)                                      \
	"{'type':'" type "','uuid':'" id "','parentUuid':" parent           \
	",'sessionId':'5e55f500-0000-4000-8000-000000000001','timestamp':'" \
	"2026-03-01T10:00:01.000Z','cwd':'/c'"                              \
	",'version':'2.1.0'" rest "}\n"
#define SAYS(text) ",'message':{'role':'user','content':" text "}"

#define ASKS(id, text) CLAUDE(id, "null", "user", SAYS(text))
#define TEXT(text) "{'type':'text','text':'" text "'}"
#define PICTURE                                                   \
	"{'type':'image','source':{'type':'base64','media_type':" \
	"'image/png','data':'aGk='}}"
#define COMMAND                                \
	"<command-name>/review</command-name>" \
	"<command-args>it</command-args>"

#define CODEX_ASKS(text)                                                      \
	"{'timestamp':'2026-03-01T10:00:00.000Z','type':'session_meta',"      \
	"'payload':{'id':'019ca8f0-0000-7000-8000-0000000000a1','timestamp':" \
	"'2026-03-01T10:00:00.000Z','cwd':'/c','originator':'x','cli_"        \
	"version':'0','source':'cli'}}\n"                                     \
	"{'timestamp':'2026-03-01T10:00:00.000Z','type':'response_item',"     \
	"'payload':{'type':'message','role':'user','content':[{'type':"       \
	"'input_text','text':'" text "'}]}}\n"

#define SKILL "<skill name=\\'x\\' location=\\'/s\\'>\\nDo this.\\n</skill>"

static void check_columns(void)
{
	check_line(HEADER, "2026-03-01T10:00:00.000Z\tp\tpi\t0\t0\t\t\t"
			   "/work/demo\t\n");
	check_line(HEADER USER("a", "null", "one") USER("b", "'a'", "two")
			   USER("c", "'a'", "three"),
		   "2026-03-01T10:00:01.000Z\tp\tpi\t3\t2\t\t\t/work/demo\tone"
		   "\n");
	check_line(HEADER USER("a", "null", "one") MESSAGE(
			   "b", "'a'", "assistant",
			   ",'content':[],'provider':'p','model':'m','usage':{"
			   "'input':40,'output':2,'cacheRead':0,'cacheWrite':0,"
			   "'totalTokens':42,'cost':{'total':0.25}},"
			   "'timestamp':8"),
		   "2026-03-01T10:00:01.000Z\tp\tpi\t2\t1\t42\t0.25\t"
		   "/work/demo\tone\n");
	/* What has no time does not count, and bookkeeping is no tip. */
	check_line(HEADER USER("a", "null",
			       "one") "{'type':'label','id':'l','parentId':'a',"
				      "'targetId':'a','label':'x','timestamp':'"
				      "never'}\n",
		   "2026-03-01T10:00:01.000Z\tp\tpi\t2\t1\t\t\t/work/demo\tone"
		   "\n");
	check_line("", "\tp\tpi\t0\t0\t\t\t\t\n");
}

static void check_first_words(void)
{
	check_words(HEADER ASSISTANT("a", "null", "not this")
			    USER("b", "'a'", "this"),
		    "this");
	/* Of a skill that was called, what was written with the call. */
	check_words(HEADER USER("a", "null", SKILL) USER("b", "'a'", "said"),
		    "said");
	check_words(HEADER USER("a", "null", SKILL), "");
	check_words(HEADER USER("a", "null", SKILL "\\n\\nfix it"), "fix it");
	check_words(HEADER USER("a", "null", "<skill name=\\'x\\'> here"),
		    "<skill name=\"x\"> here");
	check_words(HEADER USER("a", "null", "\\ttwo \\u001b[7m\\n\\nlines "),
		    "two lines");
	check_words(HEADER USER("a", "null", "said")
			    ENTRY("session_info", "b", "'a'",
				  ",'name':' The\\tname '"),
		    "The name");
	check_words(CLAUDE("a", "null", "user",
			   ",'isMeta':true" SAYS("'not typed'"))
			    CLAUDE("b", "'a'", "user",
				   SAYS("'<command-name>/clear'"))
				    CLAUDE("c", "'b'", "user",
					   SAYS("[{'type':'tool_result',"
						"'tool_use_id':'t','content':"
						"'not typed'}]"))
					    CLAUDE("d", "'c'", "user",
						   SAYS("[{'type':'text',"
							"'text':'typed'}]")),
		    "typed");
	check_words(
		"{'id':'01HZZZZZZZ0000000000000001','kind':'system.prompt','ts'"
		":"
		"'2026-03-01T10:00:00Z','payload':{'text':'no'}}\n"
		"{'id':'01HZZZZZZZ0000000000000002','kind':'turn.user','ts':"
		"'2026-03-01T10:00:00Z','payload':{'text':'yes'}}\n",
		"yes");
}

/* Of what a user's message has, what a person typed. */
static void check_typed(void)
{
	check_words(ASKS("a", "'<tick>x</tick>'") ASKS("b", "'one'")
			    ASKS("c", "'two'"),
		    "one");
	check_words(ASKS("a", "'<tick>x</tick>'"), "");
	/* One text of an entry, and others only if there is no such text. */
	check_words(
		ASKS("a", "[" TEXT("<ide_selection>x</ide_selection>") "," TEXT(
				  "one") "," TEXT("two") "]"),
		"one");
	check_words(ASKS("a", "[" PICTURE "]") ASKS("b", "'<div>x</div> one'")
			    ASKS("c", "'" COMMAND "'") ASKS("d", "'two'"),
		    "two");
	check_words(ASKS("a", "[" PICTURE "]") ASKS("b", "'<div>x</div> one'")
			    ASKS("c", "'" COMMAND "'"),
		    "/review it");
	check_words(ASKS("a", "[" PICTURE "]") ASKS("b", "'<div>x</div> one'"),
		    "<div>x</div> one");
	check_words(ASKS("a", "[" PICTURE "]"), "[picture]");
	check_words(ASKS("a", "[" PICTURE "," TEXT("one") "]"), "one");
	/* Codex's editors end what they say with a heading. */
	check_words(CODEX_ASKS("# Context from my IDE setup:\\n\\n## Open "
			       "tabs:\\n- a.c\\n\\n## My request for Codex:\\n"
			       "fix it"),
		    "fix it");
	check_words(CODEX_ASKS("# Files:\\n## My request for Codex:\\n "), "");
	check_words(CODEX_ASKS("what is ## My request for Codex: in it"),
		    "what is ## My request for Codex: in it");
	/* In Pi it is all texts. */
	check_words(
		HEADER MESSAGE("a", "null", "user",
			       ",'content':[" TEXT("one") "," TEXT("two") "]"),
		"one two");
}

/* A hundred columns at most, whole characters. */
static void check_cut(void)
{
	struct buf text = { 0 };
	buf_adds(&text, HEADER "{'type':'message','id':'a','parentId':null,"
			       "'message':{'role':'user','content':'");
	for (int i = 0; i < 1000; i++)
		buf_adds(&text, "é ");
	buf_adds(&text, "'}}\n");
	struct buf line = line_of(buf_cstr(&text));
	CHECK(line.len < 300 && text_is_utf8(buf_span(&line)));
	buf_free(&text);
	buf_free(&line);
}

/* Of bytes that are no summary's none is read. */
static void check_cut_bytes(void)
{
	struct session *s = test_session(HEADER USER("a", "null", "one"));
	struct summary m = { 0 };
	struct summary again;
	CHECK_INT(summary_make(s, &m), 0);
	size_t most = m.packed.len - m.row.n;
	for (size_t n = 0; n <= most; n++) {
		struct span cut = { m.packed.data, n };
		CHECK(!summary_unpack(NULL, cut, &again));
	}
	/* Of each byte before the row: lengths that are too large, and so on.
	 */
	for (size_t i = 0; i < most; i++) {
		m.packed.data[i] ^= '\x55';
		if (summary_unpack(NULL, buf_span(&m.packed), &again))
			summary_free(&again);
		m.packed.data[i] ^= '\x55';
	}
	summary_free(&m);
	test_close(s);
}

static void check_order(void)
{
	const struct summary newer = { .time = 2 };
	const struct summary older = { .time = 1 };
	const struct summary never = { .time = TIMESTAMP_NONE };
	CHECK(summary_compare(&newer, SPAN("b"), &older, SPAN("a")) < 0);
	CHECK(summary_compare(&never, SPAN("a"), &older, SPAN("b")) > 0);
	CHECK(summary_compare(&older, SPAN("a"), &older, SPAN("ab")) < 0);
	CHECK(summary_compare(&older, SPAN("b"), &older, SPAN("ab")) > 0);
	CHECK_INT(summary_compare(&older, SPAN("a"), &older, SPAN("a")), 0);
}

int main(void)
{
	check_columns();
	check_first_words();
	check_typed();
	check_cut();
	check_cut_bytes();
	check_order();
	return test_done("summary");
}
