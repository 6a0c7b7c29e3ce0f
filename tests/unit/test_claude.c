/*
 * Claude Code's transcripts: sessfs-formats(5). What a rule stands on is
 * said beside its rows.
 */
#include "core/dialects/claude/write.h"
#include "core/session/dialect.h"
#include "core/show/content.h"
#include "core/show/context.h"
#include "core/show/meta.h"
#include "tests/unit/dialect_test.h"

/* `parent` is JSON; `second` makes the time; `rest` is members. */
#define LINE(type, id, parent, second, rest)                                  \
	"{'parentUuid':" parent ",'isSidechain':false,'sessionId':'5e55f500-" \
	"0000-4000-8000-000000000001',"                                       \
	"'type':'" type "'" rest ",'uuid':'" id "','timestamp':'2026-03-"     \
	"01T10:00:" second ".000Z'}\n"
#define SIDE(type, id, parent, second, rest)                                 \
	"{'parentUuid':" parent ",'isSidechain':true,'sessionId':'5e55f500-" \
	"0000-4000-8000-000000000001',"                                      \
	"'type':'" type "'" rest ",'uuid':'" id "','timestamp':'2026-03-"    \
	"01T10:00:" second ".000Z'}\n"
#define SAYS(role, content) \
	",'message':{'role':'" role "','content':" content "}"
#define ASKS(id, parent, second) \
	LINE("user", id, parent, second, SAYS("user", "'" id "'"))
/* A fragment of a response: one text block. */
#define PART(id, parent, second, response)                                \
	LINE("assistant", id, parent, second,                             \
	     ",'message':{'id':'" response "','role':'assistant','model'" \
	     ":'m','content':[{'type':'text','text':'" id "'}]}")
#define CALL(id, parent, second, response)                                \
	LINE("assistant", id, parent, second,                             \
	     ",'message':{'id':'" response "','role':'assistant','model'" \
	     ":'m','content':[{'type':'tool_use','id':'t" id              \
	     "','name':'R','input':{}}]}")
/* The result of the call in the entry `call`. */
#define RESULT(id, parent, second, call)                                       \
	LINE("user", id, parent, second,                                       \
	     SAYS("user", "[{'type':'tool_result','tool_use_id':'t" call "','" \
			  "content':'" id "'}]"))
/* The same, with a reference to a tool, and more blocks behind it. */
#define LOADS(id, parent, second, call, blocks)                               \
	LINE("user", id, parent, second,                                      \
	     SAYS("user", "[{'type':'tool_result','tool_use_id':'t" call      \
			  "','content':[{'type':'tool_reference','tool_name'" \
			  ":'X'}]}" blocks "]"))
#define TOLD(id, parent, second)               \
	LINE("attachment", id, parent, second, \
	     ",'attachment':{'type':'elapsed_time_reminder','text':'" id "'}")
#define SHOWN(id, parent, second, only)                  \
	LINE("system", id, parent, second,               \
	     ",'subtype':'local_command','content':'" id \
	     "','isDisplayOnly':" only)
#define OWN_NOTE(id, parent, second, members, content) \
	LINE("user", id, parent, second, "," members SAYS("user", content))
#define TASK_HEADING                                                    \
	"[SYSTEM NOTIFICATION - NOT USER INPUT]\nThis is an automated " \
	"background-task event, NOT a message from the user.\n\n"
/* What the user typed while the agent was working. */
#define QUEUED(id, parent, second, text)                              \
	LINE("attachment", id, parent, second,                        \
	     ",'attachment':{'type':'queued_command','commandMode':'" \
	     "prompt','prompt':'" text "'}")
#define LINK(id, parent, second) \
	LINE("system", id, parent, second, ",'subtype':'x'")
#define BOUNDARY(id, logical, second, metadata)                           \
	LINE("system", id, "null", second,                                \
	     ",'subtype':'compact_boundary','logicalParentUuid':" logical \
	     ",'compactMetadata':{" metadata "}")
#define PIN_AT(leaf, rest) "{'type':'last-prompt','leafUuid':" leaf rest "}\n"
#define PIN(id, rest) PIN_AT("'" id "'", rest)
#define EXPLICIT ",'explicit':true"

/* Written by a version of the agent. */
#define OF(version)                                                           \
	"{'type':'mode','sessionId':'5e55f500-0000-4000-8000-000000000001','" \
	"version':'" version "'}\n"
/* It knows no pins. */
#define OLD OF("2.0.76")
#define BLOCK(id, parent, second, response, blocks) \
	LINE("assistant", id, parent, second,       \
	     ",'message':{'id':'" response "','content':[" blocks "]}")
#define THINKS(id, parent, second, response) \
	BLOCK(id, parent, second, response,  \
	      "{'type':'thinking','thinking':'x'}")
#define EMPTY_AND_CALL(id, parent, second)                              \
	BLOCK(id, parent, second, "r",                                  \
	      "{'type':'text','text':''},{'type':'tool_use','id':'t" id \
	      "','name':'Task','input':{}}")
#define NOTE(id, parent, second, attachment)   \
	LINE("attachment", id, parent, second, \
	     ",'attachment':{'type':" attachment "}")
#define COMMAND(id, parent, second)        \
	LINE("system", id, parent, second, \
	     ",'subtype':'local_command','content':'" id "'")

#define TWO_BRANCHES \
	ASKS("a", "null", "01") ASKS("b", "'a'", "02") ASKS("c", "'a'", "03")

/* The boundary b, its summary c; k is kept, a is not. */
#define KEPT                                                             \
	ASKS("a", "null", "01")                                          \
	ASKS("k", "'a'", "02")                                           \
	BOUNDARY("b", "'k'", "04",                                       \
		 "'preservedMessages':{'anchorUuid':'c','uuids':['k']}") \
	ASKS("c", "'b'", "05")

/* What a file is taken for: sessfs-formats(5). */
static void check_claims(void)
{
	static const struct {
		const char *text;
		const char *dialect; /* NULL: none */
	} rows[] = {
		{ "{'type':'mode','sessionId':'5e55f500-0000-4000-8000-"
		  "000000000001'}\n",
		  "claude" },
		{ "{'sessionId':'y'}\n", NULL },
		{ "{'type':'summary','summary':'x','leafUuid':'y'}\n",
		  "claude" },
		{ "{'type':'file-history-snapshot','messageId':'x'}\n",
		  "claude" },
		{ "{'type':'summary','summary':'x'}\n", NULL },
		{ "{'type':'click','sessionId':'x'}\n", NULL },
		{ LINE("user", "a", "null", "01", ""), "claude" },
		{ LINE("click", "a", "null", "01", ""), NULL },
		{ LINE("user", "a", "null", "01", ",'message':{'parts':[]}"),
		  "qwen" },
		{ LINE("user", "a", "null", "01", ",'sessionId':'s1'"), NULL },
		{ "{'type':'system','uuid':'a','parentUuid':null,'sessionId':"
		  "'5e55f500-0000-4000-8000-000000000001'}\n",
		  NULL },
		{ "{'type':'file-history-snapshot','messageId':7}\n", NULL },
		{ "{'sessionId':7,'uuid':'a','parentUuid':null}\n", NULL },
		{ HEADER "{'type':'mode','sessionId':'5e55f500-0000-4000-8000-"
			 "000000000001'}\n",
		  "pi" },
	};
	for (size_t i = 0; i < COUNT(rows); i++)
		dialect_check_found(rows[i].text, rows[i].dialect);
}

/* The leaf: sessfs-formats(5). */
static const struct {
	const char *lines;
	const char *leaf;
} leaves[] = {
	{ "{'type':'mode','sessionId':'5e55f500-0000-4000-8000-000000000001'}"
	  "\n",
	  "-" },
	{ ASKS("a", "null", "01"), "a" },
	/* The last line, whatever its time. */
	{ TWO_BRANCHES, "c" },
	{ ASKS("a", "null", "01") ASKS("b", "'a'", "03") ASKS("c", "'a'", "02"),
	  "c" },
	{ ASKS("a", "null", "01") ASKS("b", "'a'", "02") ASKS("c", "'a'", "02"),
	  "c" },
	{ ASKS("a", "null", "09") ASKS("b", "'a'", "01"), "b" },
	{ ASKS("a", "null", "09") ASKS("b", "'a'", "01") ASKS("c", "'b'", "00"),
	  "c" },
	{ ASKS("a", "null", "01") ASKS("b", "null", "zz"), "b" },
	/* Through links to who speaks; links alone are nobody's. */
	{ ASKS("a", "null", "01") LINK("b", "'a'", "02") LINK("c", "'b'", "03"),
	  "a" },
	{ ASKS("a", "null", "01") LINK("b", "null", "05"), "a" },
	{ LINK("b", "null", "05"), "-" },
	{ ASKS("a", "null", "01") LINK("b", "'a'", "02") ASKS("c", "null", "03")
		  LINK("d", "'b'", "09"),
	  "a" },
	/* An attachment that is never sent is a link, another is not. */
	{ TWO_BRANCHES NOTE("d", "'b'", "04", "'prompt_snapshot','text':'x'"),
	  "b" },
	{ TWO_BRANCHES QUEUED("d", "'b'", "04", "x"), "d" },
	/* Thinking alone is passed over; an open call is not. */
	{ ASKS("a", "null", "01") THINKS("b", "'a'", "02", "r"), "a" },
	{ ASKS("a", "null", "01") THINKS("b", "'a'", "02", "r")
		  CALL("c", "'b'", "03", "r"),
	  "c" },
	/* Of two calls one is answered: the other waits. */
	{ ASKS("a", "null", "01") CALL("b", "'a'", "02", "r")
		  CALL("c", "'b'", "03", "r") RESULT("d", "'b'", "04", "b"),
	  "c" },
	/* Sidechains are as if they were not there, unless all is one. */
	{ SIDE("user", "x", "null", "09", ""), "x" },
	{ ASKS("a", "null", "01") ASKS("b", "'a'", "02")
		  SIDE("assistant", "x", "'b'", "09", ""),
	  "b" },
	{ ASKS("a", "null", "08") ASKS("b", "'a'", "02")
		  SIDE("assistant", "x", "'a'", "09", ""),
	  "b" },
	{ ASKS("a", "null", "01") SIDE("user", "x", "null", "02", "")
		  LINK("y", "'x'", "03"),
	  "a" },
	/* A boundary goes on at what it cut off. */
	{ ASKS("a", "null", "01") BOUNDARY("b", "'a'", "02", ""), "a" },
	{ ASKS("a", "null", "01") BOUNDARY("b", "'gone'", "02", ""), "a" },
	/* Of an id that is said again the last line counts. */
	{ TWO_BRANCHES ASKS("b", "'a'", "09"), "b" },
	{ TWO_BRANCHES ASKS("c", "'a'", "00"), "c" },
	{ TWO_BRANCHES SIDE("user", "c", "'a'", "09", ""), "b" },
	/* Parents may come late, or close a cycle. */
	{ ASKS("b", "'a'", "02") ASKS("c", "'zz'", "01") ASKS("a", "'c'", "09"),
	  "a" },
	{ ASKS("b", "'a'", "09") ASKS("c", "'zz'", "01") ASKS("a", "'c'", "02"),
	  "b" },
	{ ASKS("a", "'b'", "01") ASKS("b", "'a'", "02"), "b" },

	/* Pins. */
	{ TWO_BRANCHES PIN("b", EXPLICIT), "b" },
	/* Those that are not explicit count off the conversation. */
	{ PIN("b", EXPLICIT) TWO_BRANCHES, "b" },
	{ TWO_BRANCHES PIN("b", ""), "b" },
	{ TWO_BRANCHES PIN("a", ""), "c" },
	{ TWO_BRANCHES PIN("b", ",'explicit':1"), "b" },
	/* An explicit one tells of a version that heeds it. */
	{ OLD TWO_BRANCHES PIN("b", EXPLICIT), "b" },
	{ TWO_BRANCHES PIN("b", EXPLICIT) PIN("b", ""), "b" },
	{ TWO_BRANCHES PIN("b", "") PIN("b", EXPLICIT), "b" },
	{ TWO_BRANCHES PIN("b", EXPLICIT) PIN("a", ""), "c" },
	{ TWO_BRANCHES PIN("b", EXPLICIT) PIN("a", EXPLICIT), "a" },
	{ TWO_BRANCHES PIN("b", EXPLICIT) "{'type':'last-prompt'}\n", "b" },
	{ TWO_BRANCHES PIN("zz", EXPLICIT), "c" },
	{ TWO_BRANCHES SIDE("user", "x", "null", "00", "") PIN("x", EXPLICIT),
	  "c" },
	{ TWO_BRANCHES LINK("l", "'b'", "00") PIN("l", EXPLICIT), "b" },
	/* In the middle of a response it is at its end: what a hook says of a
	   call is beside the result, and may be written later. */
	{ CALL("a", "null", "01", "r") QUEUED("l", "'a'", "02", "x")
		  RESULT("b", "'a'", "03", "a") ASKS("c", "'b'", "04")
			  PIN("a", EXPLICIT),
	  "b" },
	{ CALL("a", "null", "01", "r") RESULT("b", "'a'", "02", "a")
		  QUEUED("l", "'a'", "03", "x") ASKS("c", "'b'", "04")
			  PIN("a", EXPLICIT),
	  "l" },
	/* Another branch goes on from a note there: only the result has it. */
	{ CALL("a", "null", "01", "r") RESULT("b", "'a'", "02", "a")
		  QUEUED("l", "'b'", "03", "x") PART("c", "'l'", "04", "q")
			  PIN("a", EXPLICIT),
	  "b" },
	{ CALL("a", "null", "01", "r") RESULT("b", "'a'", "02", "a")
		  QUEUED("l", "'b'", "03", "x") PART("c", "'l'", "04", "q")
			  PIN("b", EXPLICIT),
	  "l" },
	/* In the middle of a response it is at its last result. */
	{ CALL("a", "null", "01", "r") CALL("b", "'a'", "02", "r")
		  RESULT("c", "'a'", "03", "a") RESULT("d", "'b'", "04", "b")
			  PART("e", "'d'", "05", "q") PIN("a", EXPLICIT),
	  "d" },
	/* With a pin on the conversation its last line counts, a copy too. */
	{ ASKS("a", "null", "01") ASKS("b", "'a'", "02") ASKS("c", "'b'", "03")
		  ASKS("b", "'a'", "02"),
	  "c" },
	{ ASKS("a", "null", "01") ASKS("b", "'a'", "02") ASKS("c", "'b'", "03")
		  ASKS("b", "'a'", "02") PIN("a", ""),
	  "b" },
	/* null is before the first entry, and a plain one leaves a pin. */
	{ TWO_BRANCHES PIN_AT("null", EXPLICIT), "-" },
	{ TWO_BRANCHES PIN_AT("null", ""), "c" },
	{ TWO_BRANCHES PIN_AT("null", EXPLICIT) PIN_AT("null", ""), "-" },
	{ TWO_BRANCHES PIN_AT("null", EXPLICIT) PIN("b", ""), "b" },
	{ TWO_BRANCHES PIN("b", EXPLICIT)
		  PIN("00000000-0000-0000-0000-000000000000", EXPLICIT),
	  "c" },
	/* With one on no line it counts whatever follows it, written before. */
	{ ASKS("a", "null", "01") ASKS("d", "'c'", "03") ASKS("c", "'a'", "02"),
	  "d" },
	{ ASKS("a", "null", "01") PIN("zz", "") ASKS("d", "'c'", "03")
		  ASKS("c", "'a'", "02"),
	  "c" },
	{ ASKS("a", "null", "01") PIN_AT("null", EXPLICIT)
		  ASKS("d", "'c'", "03") ASKS("c", "'a'", "02"),
	  "c" },
	/* A boundary ends it. */
	{ TWO_BRANCHES PIN("b", EXPLICIT) BOUNDARY("d", "'c'", "04", ""), "c" },
	/* Behind what a compaction keeps only the end of a branch counts. */
	{ KEPT ASKS("d", "'c'", "06") ASKS("e", "'d'", "07") PIN("d", "")
		  ASKS("f", "'k'", "08"),
	  "f" },
	{ KEPT ASKS("d", "'c'", "06") ASKS("e", "'d'", "07") PIN("e", "")
		  ASKS("f", "'k'", "08"),
	  "e" },
	/* A response without anything to send is passed over. */
	{ THINKS("a", "null", "01", "r"), "-" },
	{ ASKS("a", "null", "01") THINKS("b", "'a'", "02", "r"), "a" },
	/* Of a response with open calls the last of these. */
	{ CALL("a", "null", "01", "r") CALL("b", "'a'", "02", "r")
		  RESULT("c", "'b'", "03", "b"),
	  "a" },
	{ CALL("a", "null", "01", "r") CALL("b", "'a'", "02", "r")
		  RESULT("d", "'a'", "03", "a") RESULT("c", "'b'", "04", "b"),
	  "c" },
	/* Where the conversation goes on a pin is over. */
	{ TWO_BRANCHES PIN("b", EXPLICIT) ASKS("d", "'b'", "04"), "d" },
	{ TWO_BRANCHES PIN("a", EXPLICIT) ASKS("d", "'c'", "04"), "d" },
	{ TWO_BRANCHES PIN("b", EXPLICIT) ASKS("d", "'c'", "04"), "b" },
	{ TWO_BRANCHES PIN("b", EXPLICIT) LINK("d", "'b'", "04"), "b" },
	{ TWO_BRANCHES PIN("b", EXPLICIT) SIDE("user", "x", "null", "09", ""),
	  "b" },
	{ TWO_BRANCHES PIN("a", EXPLICIT) ASKS("d", "'c'", "04") PIN("a", ""),
	  "d" },
	{ TWO_BRANCHES PIN("a", EXPLICIT) ASKS("d", "'c'", "04")
		  PIN("a", EXPLICIT),
	  "a" },
};

/* The agent reads values, and what follows one on its line is nothing. */
#define QUOTED_TORN "{'type':'user','message':{'content':[\n"
static void check_records(void)
{
	static const struct {
		const char *lines;
		const char *leaf;
		const char *problems;
	} rows[] = {
		/* A value over several lines. */
		{ ASKS("a", "null",
		       "01") "{'type':'user','uuid':'b',\n\n"
			     " 'parentUuid':'a','message':{\n"
			     "'content':[\n]}\n}\n" ASKS("c", "'b'", "03"),
		  "c", "" },
		/* The file ends in it. */
		{ ASKS("a", "null", "01") "{'type':'user',\n'parentUuid':'a',"
					  "'uuid':'b'}",
		  "b", "" },
		/* Something stands behind it, and another record. */
		{ ASKS("a", "null", "01") "{'type':'user',\n'parentUuid':'a',"
					  "'uuid':'b'} x " ASKS("c", "'b'",
								"03"),
		  "b", "" },
		{ ASKS("a", "null", "01") "{'type':'user','parentUuid':'a',"
					  "'uuid':'b'}{'uu\n" ASKS("c", "'b'",
								   "03"),
		  "c", "bad-lines: 1 (line 2)\n" },
		{ ASKS("a", "null", "01") "{'type':'user','parentUuid':'a',"
					  "'uuid':'b'}\001\001",
		  "b", "bad-lines: 1 (line 2)\n" },
		/* A torn line costs itself, whatever the next line could be. */
		{ QUOTED_TORN ASKS("a", "null", "01"), "a",
		  "bad-lines: 1 (line 1)\n" },
		{ QUOTED_TORN ASKS("a", "null", "01") ASKS("b", "'a'", "02"),
		  "b", "bad-lines: 1 (line 1)\n" },
		{ "{'type':'us\n" ASKS("a", "null", "01"), "a",
		  "bad-lines: 1 (line 1)\n" },
		/* Also before a value over several lines. */
		{ QUOTED_TORN "{'type':'user',\n'parentUuid':null,"
			      "'uuid':'b'}\n" ASKS("c", "'b'", "03"),
		  "c", "bad-lines: 1 (line 1)\n" },
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		test_row = rows[i].lines;
		struct session *s = test_session(rows[i].lines);
		CHECK_ID(s, s->now.leaf, rows[i].leaf);
		dialect_check_problems(s, rows[i].problems);
		test_close(s);
	}
	test_row = NULL;
}

/* A value that grows byte by byte is an entry when it is whole. */
static void check_growing_record(void)
{
	static const char value[] =
		"{'type':'user',\n'uuid':'b','parentUuid':'a',\n'message':{"
		"'content':'x'}\n}\n";
	const char *rest = ASKS("c", "'b'", "03");
	struct session *s = test_session(ASKS("a", "null", "01"));
	session_leave(s);
	for (const char *p = value; *p; p++) {
		const char byte[] = { *p, '\0' };
		test_append("s.jsonl", byte);
		CHECK_INT(session_enter(s), 0);
		CHECK_ID(s, s->now.leaf,
			 p < value + sizeof(value) - 3 ? "a" : "b");
		session_leave(s);
	}
	test_append("s.jsonl", rest);
	CHECK_INT(session_enter(s), 0);
	CHECK_ID(s, s->now.leaf, "c");
	CHECK_INT(s->now.index.n, 3);
	dialect_check_problems(s, "");
	test_close(s);
}

/* What is appended to a value that the file ends in is not lost in it. */
static void check_torn_value(void)
{
	static const char *const ends[] = { "", "\n" };
	for (size_t i = 0; i < COUNT(ends); i++) {
		struct buf lines = { 0 };
		struct buf now = { 0 };
		buf_adds(&lines, TWO_BRANCHES);
		buf_adds(&lines, "{'type':'user','message':{'content':[");
		buf_adds(&lines, ends[i]);
		struct session *s = test_session(buf_cstr(&lines));
		CHECK_INT(dialect_move(s, "b"), 0);
		struct buf want =
			test_quoted("'content':[\n{}\n{'type':'last-");
		test_read(test_path("s.jsonl"), &now);
		CHECK(memmem(now.data, now.len, want.data, want.len) != NULL);
		CHECK_ID(s, s->now.leaf, "b");
		test_close(s);
		buf_free(&want);
		buf_free(&lines);
		buf_free(&now);
	}
}

/* The same, with the lines read one by one. */
static void check_growing_leaf(const char *lines, const char *leaf)
{
	struct session *s = test_session("{'type':'mode','sessionId':'5e55f500-"
					 "0000-4000-8000-000000000001'}\n");
	session_leave(s);
	while (*lines) {
		struct buf line = { 0 };
		size_t n = (size_t)(strchr(lines, '\n') + 1 - lines);
		buf_add(&line, (struct span){ lines, n });
		test_append("s.jsonl", buf_cstr(&line));
		buf_free(&line);
		CHECK_INT(session_enter(s), 0);
		session_leave(s);
		lines += n;
	}
	CHECK_INT(session_enter(s), 0);
	CHECK_ID(s, s->now.leaf, leaf);
	test_close(s);
}

static void check_leaves(void)
{
	for (size_t i = 0; i < COUNT(leaves); i++) {
		test_row = leaves[i].lines;
		struct session *s = test_session(leaves[i].lines);
		CHECK_ID(s, s->now.leaf, leaves[i].leaf);
		test_close(s);
		check_growing_leaf(leaves[i].lines, leaves[i].leaf);
	}
	test_row = NULL;
}

/* A line of a random tree: below an earlier entry, or none, or a later one. */
static void add_random_line(struct buf *out, uint32_t i)
{
	static const char *const kinds[] = { "user", "assistant", "system" };
	uint32_t parent = test_random() % (i + 2);
	buf_addf(out, "{'type':'%s','uuid':'e%u','sessionId':'s'",
		 kinds[test_random() % 3],
		 test_random() % 20 ? i : test_random() % (i + 1));
	if (parent <= i || test_random() % 8 == 0)
		buf_addf(out, ",'parentUuid':'e%u'", parent);
	buf_addf(out, ",'isSidechain':%s,'timestamp':%u}\n",
		 test_random() % 5 ? "false" : "true", test_random() % 50);
	if (test_random() % 10 == 0)
		buf_addf(out,
			 "{'type':'last-prompt','leafUuid':'e%u','explicit':"
			 "%s}\n",
			 test_random() % (i + 1),
			 test_random() % 2 ? "true" : "false");
}

/* What a line of a response, or between two, says; of a few responses. */
static void add_random_message(struct buf *out, uint32_t parent)
{
	static const char *const blocks[] = {
		"{'type':'thinking','thinking':'x'}",
		"{'type':'text','text':'x'}",
		"{'type':'tool_use','id':'t','name':'R','input':{}}",
		"{'type':'tool_use','id':'t','name':'R','input':{}}",
	};
	switch (test_random() % 8) {
	case 0:
		buf_adds(out, "'type':'system','subtype':'x'");
		break;
	case 1:
	case 2:
	case 3:
		buf_addf(out,
			 "'type':'user','message':{'role':'user','content':["
			 "{'type':'tool_result','tool_use_id':'t%u'}]}",
			 parent);
		break;
	default:
		buf_addf(out,
			 "'type':'assistant','message':{'id':'r%u','content':["
			 "%s]}",
			 test_random() % 10 / 8, blocks[test_random() % 4]);
	}
}

/* A line of a random conversation, with orphans, some of them of the future. */
static void add_random_turn(struct buf *out, uint32_t i)
{
	uint32_t back = test_random() % 3 ? 1 : 1 + test_random() % 8;
	uint32_t parent = i > back ? i - back : 0;
	uint32_t minute = test_random() % 12 ? i : test_random() % 60;
	buf_addf(out, "{'uuid':'e%u','sessionId':'s',", i);
	if (i > 0)
		buf_addf(out, "'parentUuid':'%c%u',",
			 test_random() % 15 ? 'e' : 'g', parent);
	if (test_random() % 25 == 0)
		buf_adds(out, "'type':'system','subtype':'compact_boundary'");
	else
		add_random_message(out, parent);
	buf_addf(out,
		 ",'isSidechain':%s,'timestamp':'2026-01-01T1%u:%02u:00Z'}\n",
		 test_random() % 20 ? "false" : "true",
		 test_random() % 12 ? 0 : 1, minute);
	if (test_random() % 25 == 0)
		buf_addf(out, "{'type':'last-prompt','leafUuid':'e%u'}\n",
			 test_random() % (i + 1));
}

typedef void add_line_fn(struct buf *out, uint32_t i);

/* Read line by line the leaf is the same as when all is read at once. */
static void check_random_leaves(add_line_fn *add_line, int rounds)
{
	for (int round = 0; round < rounds; round++) {
		struct buf line = { 0 };
		struct session *s =
			test_session("{'type':'mode','sessionId':'5e55f500-"
				     "0000-4000-8000-000000000001'}\n");
		session_leave(s);
		for (uint32_t i = 0; i < 40; i++) {
			buf_clear(&line);
			add_line(&line, i);
			test_append("s.jsonl", buf_cstr(&line));
			struct session *fresh = test_open(test_path("s.jsonl"));
			CHECK_INT(session_enter(s), 0);
			CHECK_INT(s->now.leaf, fresh->now.leaf);
			session_leave(s);
			session_free(fresh);
		}
		session_free(s);
		buf_free(&line);
	}
}

static void check_context(const struct session *s, const char *entry,
			  enum message_form form, const char *want)
{
	struct buf got = { 0 };
	struct buf quoted = test_quoted(want);
	CHECK_INT(context_add(s, test_find(s, entry), form, &got), 0);
	CHECK_SPAN(buf_span(&got), buf_span(&quoted));
	buf_free(&got);
	buf_free(&quoted);
}

/* Contexts as text: sessfs-formats(5). */
static const struct {
	const char *lines;
	const char *entry;
	const char *text;
} contexts[] = {
	/* A response in three lines is one message, though a link is in it. */
	{ ASKS("a", "null", "01") PART("b", "'a'", "02", "r")
		  LINK("l", "'b'", "03") PART("c", "'l'", "04", "r"),
	  "c", "[User]: a\n\n[Assistant]: b\nc\n" },
	/* Its fragments that are off the path, at their places. */
	{ PART("a", "null", "01", "r") PART("b", "'a'", "02", "r")
		  PART("c", "'a'", "03", "r") ASKS("d", "'c'", "04"),
	  "d", "[Assistant]: a\nb\nc\n\n[User]: d\n" },
	/* In its middle it is made whole. */
	{ PART("a", "null", "01", "r") PART("b", "'a'", "02", "r")
		  PART("c", "'b'", "03", "r") ASKS("d", "'c'", "04"),
	  "a", "[Assistant]: a\nb\nc\n" },
	/* Results come behind all fragments, in file order. */
	{ CALL("a", "null", "01", "r") RESULT("b", "'a'", "02", "a")
		  CALL("c", "'a'", "03", "r") RESULT("d", "'c'", "04", "c")
			  ASKS("e", "'d'", "05"),
	  "e",
	  "[Assistant tool calls]: R(); R()\n\n[Tool result]: b\n\n"
	  "[Tool result]: d\n\n[User]: e\n" },
	/* A result between two fragments does not end a response. */
	{ CALL("a", "null", "01", "r") RESULT("b", "'a'", "02", "a")
		  CALL("c", "'b'", "03", "r") RESULT("d", "'c'", "04", "c"),
	  "d",
	  "[Assistant tool calls]: R(); R()\n\n[Tool result]: b\n\n"
	  "[Tool result]: d\n" },
	/* Results hang on results, and on links. */
	{ CALL("a", "null", "01", "r") CALL("b", "'a'", "02", "r")
		  RESULT("c", "'b'", "03", "b") RESULT("d", "'c'", "04", "a"),
	  "c",
	  "[Assistant tool calls]: R(); R()\n\n[Tool result]: c\n\n"
	  "[Tool result]: d\n" },
	/* Of two results for a call the first in the file is sent. */
	{ CALL("a", "null", "01", "r") RESULT("b", "'a'", "02", "a")
		  RESULT("c", "'a'", "03", "a") ASKS("d", "'c'", "04"),
	  "d",
	  "[Assistant tool calls]: R()\n\n[Tool result]: b\n\n"
	  "[User]: d\n" },
	/* Results are before texts, and only of calls that are there. */
	{ CALL("a", "null", "01", "r") ASKS("b", "'a'", "02")
		  RESULT("c", "'b'", "03", "a") RESULT("d", "'c'", "04", "z"),
	  "d",
	  "[Assistant tool calls]: R()\n\n[Tool result]: c\n\n"
	  "[User]: b\n" },
	/* A line with calls but no results is not sent. */
	{ PART("a", "null", "01", "r") CALL("b", "'a'", "02", "r")
		  ASKS("c", "'b'", "03"),
	  "c", "[Assistant]: a\n\n[User]: c\n" },
	/* But while the turn goes on, whatever has only thinking since. */
	{ CALL("a", "null", "01", "r") CALL("b", "'a'", "02", "r")
		  RESULT("c", "'a'", "03", "a") THINKS("d", "'c'", "04", "q"),
	  "d", "[Assistant tool calls]: R(); R()\n\n[Tool result]: c\n" },
	{ CALL("a", "null", "01", "r") LINK("l", "'a'", "02")
		  RESULT("b", "'l'", "03", "a") ASKS("c", "'a'", "04"),
	  "c",
	  "[Assistant tool calls]: R()\n\n[Tool result]: b\n\n[User]: c\n" },
	{ CALL("a", "null", "01", "r") LINK("l", "'a'", "02")
		  RESULT("b", "'l'", "03", "a"),
	  "l", "[Assistant tool calls]: R()\n\n[Tool result]: b\n" },
	/* Fragments of other branches count, too, with their results. */
	{ PART("a", "null", "01", "r") ASKS("b", "'a'", "02")
		  PART("c", "'b'", "03", "r") ASKS("d", "'a'", "04"),
	  "d", "[Assistant]: a\nc\n\n[User]: d\n" },
	{ ASKS("a", "null", "01") CALL("b", "'a'", "02", "r")
		  RESULT("c", "'b'", "03", "b") ASKS("d", "null", "04")
			  PART("e", "'d'", "05", "r") ASKS("f", "'e'", "06"),
	  "f",
	  "[User]: d\n\n[Assistant]: e\n\n[Assistant tool calls]: R()\n\n"
	  "[Tool result]: c\n\n[User]: f\n" },
	/* If the path has the response twice, they are in the second place. */
	{ ASKS("a", "null", "01") PART("b", "'a'", "02", "r")
		  ASKS("c", "'b'", "03") PART("d", "'c'", "04", "r")
			  ASKS("e", "'d'", "05") PART("f", "null", "06", "r"),
	  "e",
	  "[User]: a\n\n[Assistant]: b\n\n[User]: c\n\n[Assistant]: d\nf\n\n"
	  "[User]: e\n" },
	/* A sidechain's do. */
	{ SIDE("assistant", "x", "null", "01",
	       ",'message':{'id':'r','role':'assistant','model':'m',"
	       "'content':[{'type':'text','text':'x'}]}")
		  ASKS("a", "null", "02") PART("b", "'a'", "03", "r"),
	  "b", "[User]: a\n\n[Assistant]: b\nx\n" },
	/* What other branches ask does not, and what others answer there. */
	{ CALL("a", "null", "01", "r") PART("b", "'a'", "02", "q")
		  RESULT("c", "'b'", "03", "a"),
	  "a", "[Assistant tool calls]: R()\n" },
	/* The same id again behind a question is another message. */
	{ PART("a", "null", "01", "r") ASKS("b", "'a'", "02")
		  PART("c", "'b'", "03", "r"),
	  "c", "[Assistant]: a\n\n[User]: b\n\n[Assistant]: c\n" },
	/* A note before the summary has the history before the boundary. */
	{ ASKS("a", "null", "01") BOUNDARY("b", "'a'", "02", "")
		  LINK("l", "'b'", "03") ASKS("c", "'l'", "04"),
	  "l", "[User]: a\n" },
	/* Without an id a line is a response by itself. */
	{ LINE("assistant", "a", "null", "01", SAYS("assistant", "'one'")) LINE(
		  "assistant", "b", "'a'", "02", SAYS("assistant", "'two'")),
	  "b", "[Assistant]: one\n\n[Assistant]: two\n" },
	/* A sidechain line on the chain is sent. */
	{ ASKS("a", "null", "01")
		  SIDE("user", "x", "'a'", "02", SAYS("user", "'side'"))
			  ASKS("b", "'x'", "03"),
	  "x", "[User]: a\n\n[User]: side\n" },
	{ ASKS("a", "null", "01")
		  SIDE("user", "x", "'a'", "02", SAYS("user", "'side'"))
			  ASKS("b", "'x'", "03"),
	  "b", "[User]: a\n\n[User]: side\n\n[User]: b\n" },
	{ CALL("a", "null", "01", "r")
		  SIDE("user", "x", "'a'", "02",
		       SAYS("user", "[{'type':'tool_result','content':"
				    "'side'}]")) ASKS("b", "'a'", "03"),
	  "b", "[User]: b\n" },
	/* What has no content is not sent. */
	{ LINE("user", "a", "null", "01", ",'message':7")
		  LINE("assistant", "b", "'a'", "02", SAYS("assistant", "null"))
			  ASKS("c", "'b'", "03"),
	  "c", "[User]: c\n" },

	/* A boundary cuts, and what it keeps follows its anchor. */
	{ ASKS("a", "null", "01") BOUNDARY("b", "'a'", "02", "")
		  ASKS("c", "'b'", "03"),
	  "c", "[User]: c\n" },
	{ ASKS("a", "null", "01") BOUNDARY("b", "'a'", "02", ""), "b",
	  "[User]: a\n" },
	{ ASKS("a", "null", "01") ASKS("k", "'a'", "02")
		  PART("l", "'k'", "03", "r")
			  BOUNDARY("b", "'l'", "04",
				   "'preservedSegment':{'headUuid':'k',"
				   "'anchorUuid':'c','tailUuid':'l'}")
				  ASKS("c", "'b'", "05") ASKS("d", "'c'", "06"),
	  "d", "[User]: c\n\n[User]: k\n\n[Assistant]: l\n\n[User]: d\n" },
	{ ASKS("a", "null", "01") ASKS("k", "'a'", "02") BOUNDARY(
		  "b", "'k'", "04",
		  "'preservedSegment':{'headUuid':'k',"
		  "'anchorUuid':'b','tailUuid':'k'}") ASKS("c", "'b'", "05"),
	  "c", "[User]: k\n\n[User]: c\n" },
	/* No such chain, or no such anchor: nothing is kept. */
	{ ASKS("a", "null", "01") ASKS("k", "'a'", "02") BOUNDARY(
		  "b", "'k'", "04",
		  "'preservedSegment':{'headUuid':'k',"
		  "'anchorUuid':'b','tailUuid':'a'}") ASKS("c", "'b'", "05"),
	  "c", "[User]: c\n" },
	{ ASKS("a", "null", "01") ASKS("k", "'a'", "02") BOUNDARY(
		  "b", "'k'", "04",
		  "'preservedSegment':{'headUuid':'k',"
		  "'anchorUuid':'zz','tailUuid':'k'}") ASKS("c", "'b'", "05"),
	  "c", "[User]: c\n" },
	/* A list: nothing is kept if one is unknown. */
	{ ASKS("a", "null", "01") ASKS("k", "'a'", "02")
		  BOUNDARY("b", "'k'", "04",
			   "'preservedMessages':{'anchorUuid':'c','uuids':"
			   "['k','zz',7,'k','c','a']}") ASKS("c", "'b'", "05"),
	  "c", "[User]: c\n" },
	{ ASKS("a", "null", "01") ASKS("k", "'a'", "02") BOUNDARY(
		  "b", "'k'", "04",
		  "'preservedMessages':{'anchorUuid':'c','uuids':"
		  "['k','a']}") ASKS("c", "'b'", "05") ASKS("d", "'c'", "06"),
	  "d", "[User]: c\n\n[User]: k\n\n[User]: a\n\n[User]: d\n" },
	/* What is no compaction does not cut, and the last one does. */
	{ ASKS("a", "null", "01")
		  LINE("system", "b", "'a'", "02",
		       ",'subtype':'microcompact_boundary','content':'x'")
			  ASKS("c", "'b'", "03"),
	  "c", "[User]: a\n\n[User]: c\n" },
	{ ASKS("a", "null", "01") BOUNDARY("b", "'a'", "02", "")
		  ASKS("c", "'b'", "03") BOUNDARY("d", "'c'", "04", "")
			  ASKS("e", "'d'", "05"),
	  "e", "[User]: e\n" },
	/* At the summary itself, and at what is kept; at a forgotten entry. */
	{ KEPT, "c", "[User]: c\n" },
	{ KEPT, "k", "[User]: c\n\n[User]: k\n" },
	{ KEPT, "a", "[User]: a\n" },
	/* What the user typed meanwhile is sent with the line before. */
	{ ASKS("a", "null", "01") QUEUED("n", "'a'", "02", "typed")
		  PART("b", "'n'", "03", "r"),
	  "b",
	  "[User]: a\n\n[System]: The user sent a new message while you were "
	  "working:\ntyped\n\nThis is how Claude Code surfaces messages the "
	  "user sends mid-turn \xE2\x80\x94 within the running turn, often "
	  "alongside the next tool result, rather than as a separate "
	  "conversation turn. Address the message above as you continue this "
	  "turn.\n\n[Assistant]: b\n" },
	/* Below a forgotten entry: below what is kept. */
	{ KEPT ASKS("d", "'a'", "06"), "d",
	  "[User]: c\n\n[User]: k\n\n[User]: d\n" },
	/* Behind one that keeps nothing: by time, if anything is so new. */
	{ KEPT BOUNDARY("x", "'c'", "06", "") ASKS("y", "'x'", "07")
		  ASKS("d", "'k'", "08"),
	  "d", "[User]: y\n\n[User]: d\n" },
	{ KEPT BOUNDARY("x", "'c'", "06", "") ASKS("y", "'x'", "07")
		  ASKS("d", "'k'", "59"),
	  "d", "[User]: d\n" },

	/* Lines of other types are links; a byte order mark is nothing. */
	{ "\xEF\xBB\xBF" ASKS("a", "null", "01") LINE(
		  "progress", "b", "'a'", "02", ",'data':{'type':'x'}")
		  NOTE("c", "'b'", "03", "'hook_success','content':'x'")
			  LINE("future", "d", "'c'", "04", SAYS("user", "'x'"))
				  PART("e", "'d'", "05", "r"),
	  "e", "[User]: a\n\n[Assistant]: e\n" },
	/* A missing parent was the newest line before, of the last 5 s. */
	{ ASKS("a", "null", "01") ASKS("b", "'zz'", "06"), "b",
	  "[User]: a\n\n[User]: b\n" },
	{ ASKS("a", "null", "01") ASKS("b", "'zz'", "07"), "b", "[User]: b\n" },
	{ ASKS("a", "null", "01") ASKS("b", "'zz'", "02"), "b",
	  "[User]: a\n\n[User]: b\n" },
	/* Local commands hang on who spoke, and come in the order of time. */
	{ ASKS("a", "null", "01") ASKS("b", "'a'", "02")
		  COMMAND("z", "'a'", "06") COMMAND("x", "'a'", "04")
			  COMMAND("y", "'x'", "05"),
	  "a", "[User]: a\n\n[User]: x\n\n[User]: y\n\n[User]: z\n" },
	{ ASKS("a", "null", "01") ASKS("b", "'a'", "02")
		  COMMAND("z", "'a'", "06") COMMAND("x", "'a'", "04")
			  COMMAND("y", "'x'", "05"),
	  "x", "[User]: a\n\n[User]: x\n\n[User]: y\n\n[User]: z\n" },
	{ ASKS("a", "null", "01") ASKS("b", "'a'", "02")
		  COMMAND("x", "'a'", "04") ASKS("c", "'b'", "05"),
	  "c", "[User]: a\n\n[User]: b\n\n[User]: c\n" },

	/* A line whose results have loaded tools says so, unless it does. */
	{ CALL("a", "null", "01", "r") CALL("b", "'a'", "02", "r") LOADS(
		  "c", "'a'", "03", "a", "") LOADS("d", "'b'", "04", "b", ""),
	  "d",
	  "[Assistant tool calls]: R(); R()\n\n[User]: Tool loaded.\n"
	  "Tool loaded.\n" },
	{ CALL("a", "null", "01", "r")
		  LOADS("b", "'a'", "02", "a",
			",{'type':'text','text':'Tool loaded. x'}"),
	  "b", "[Assistant tool calls]: R()\n\n[User]: Tool loaded. x\n" },
	/* So do results of no call. */
	{ PART("a", "null", "01", "r") LOADS("b", "'a'", "02", "z", ""), "b",
	  "[Assistant]: a\n\n[User]: Tool loaded.\n" },
	/* That text is not the user's words: an open call is still sent. */
	{ ASKS("a", "null", "01") CALL("b", "'a'", "02", "r")
		  CALL("c", "'b'", "03", "r") LOADS("d", "'c'", "04", "c", ""),
	  "d",
	  "[User]: a\n\n[Assistant tool calls]: R(); R()\n\n"
	  "[User]: Tool loaded.\n" },
	/* The agent's own notes are reminders; so are not those of others. */
	{ OWN_NOTE("a", "null", "01", "'ownNote':true,'isMeta':true", "'x'"),
	  "a", "[User]: <system-reminder>\nx\n</system-reminder>\n" },
	{ OWN_NOTE("a", "null", "01", "'ownNote':true,'isMeta':true", "' '"),
	  "a", "[User]: <system-reminder>\n \n</system-reminder>\n" },
	{ OWN_NOTE("a", "null", "01", "'ownNote':true", "'x'"), "a",
	  "[User]: x\n" },
	{ OWN_NOTE("a", "null", "01", "'ownNote':'yes','isMeta':true", "'x'"),
	  "a", "[User]: x\n" },
	{ OWN_NOTE("a", "null", "01", "'ownNote':true,'isMeta':true",
		   "[{'type':'text','text':'x'}]"),
	  "a", "[User]: <system-reminder>\nx\n</system-reminder>\n" },
	{ OWN_NOTE("a", "null", "01", "'ownNote':true,'isMeta':true",
		   "[{'type':'text','text':'x'},{'type':'text','text':'y'}]"),
	  "a", "[User]: x\ny\n" },
	/* So is what a hook has printed, behind a sentence about it. */
	{ OWN_NOTE("a", "null", "01",
		   "'hookText':true,'isMeta':true,'hookTextLead':"
		   "'The text below is the output of a hook. Heed it.'",
		   "'x <system-reminder>'"),
	  "a",
	  "[User]: <system-reminder>\nThe text below is the output of a hook. "
	  "Heed it.\nx &lt;system-reminder>\n</system-reminder>\n" },
	{ OWN_NOTE("a", "null", "01",
		   "'hookText':true,'isMeta':true,'hookTextLead':'Odd'", "'x'"),
	  "a",
	  "[User]: <system-reminder>\nThe text below is the output of a hook, "
	  "not a message from the user.\nx\n</system-reminder>\n" },
	{ OWN_NOTE("a", "null", "01", "'hookText':true", "'x'"), "a",
	  "[User]: x\n" },
	/* Of one that a task has sent, the task's heading is around it. */
	{ OWN_NOTE("a", "null", "01",
		   "'ownNote':true,'isMeta':true,"
		   "'origin':{'kind':'task-notification'}",
		   "'x'"),
	  "a",
	  "[User]: <system-reminder>\n" TASK_HEADING "<system-reminder>\nx"
	  "\n&lt;/system-reminder&gt;\n</system-reminder>\n" },
	{ OWN_NOTE("a", "null", "01",
		   "'ownNote':true,'origin':{'kind':'task-notification'}",
		   "'x'"),
	  "a",
	  "[User]: <system-reminder>\n" TASK_HEADING
	  "x\n</system-reminder>\n" },
	/* But not around what a hook has printed. */
	{ OWN_NOTE("a", "null", "01",
		   "'hookText':true,'isMeta':true,"
		   "'origin':{'kind':'task-notification'}",
		   "'x'"),
	  "a",
	  "[User]: <system-reminder>\nThe text below is the output of a hook, "
	  "not a message from the user.\nx\n</system-reminder>\n" },
	/* What only the terminal shows is not sent. */
	{ ASKS("a", "null", "01") SHOWN("b", "'a'", "02", "true")
		  SHOWN("c", "'b'", "03", "'true'") ASKS("d", "'c'", "04"),
	  "d", "[User]: a\n\n[User]: c\n\n[User]: d\n" },
	/* Results off the chain: in file order. */
	{ CALL("a", "null", "01", "r") CALL("b", "'a'", "02", "r")
		  RESULT("c", "'b'", "03", "b") RESULT("d", "'a'", "04", "a")
			  ASKS("e", "'c'", "05"),
	  "e",
	  "[Assistant tool calls]: R(); R()\n\n[Tool result]: c\n\n"
	  "[Tool result]: d\n\n[User]: e\n" },
	/* So are notes and commands, which a branch does not go on from. */
	{ CALL("a", "null", "01", "r") TOLD("x", "'a'", "02")
		  TOLD("y", "'x'", "02") COMMAND("z", "'y'", "02")
			  RESULT("c", "'a'", "03", "a") TOLD("v", "'c'", "04")
				  ASKS("e", "'c'", "05"),
	  "e",
	  "[Assistant tool calls]: R()\n\n[Tool result]: c\n\n[User]: z\ne\n\n"
	  "[System]: x\n\ny\n\nv\n" },
	{ CALL("a", "null", "01", "r") TOLD("x", "'a'", "02")
		  TOLD("y", "'x'", "02") ASKS("z", "'y'", "02")
			  RESULT("c", "'a'", "03", "a") ASKS("e", "'c'", "05"),
	  "e",
	  "[Assistant tool calls]: R()\n\n[Tool result]: c\n\n[User]: e\n" },
	/* Not those below a line of a response without calls, or a prompt. */
	{ ASKS("a", "null", "01") TOLD("x", "'a'", "02")
		  PART("b", "'a'", "03", "r") TOLD("y", "'b'", "04")
			  ASKS("e", "'b'", "05"),
	  "e", "[User]: a\n\n[Assistant]: b\n\n[User]: e\n" },
	/* Results without calls leave a text, at the start another one. */
	{ RESULT("a", "null", "01", "z") PART("b", "'a'", "02", "r")
		  RESULT("c", "'b'", "03", "z") PART("d", "'c'", "04", "q"),
	  "d",
	  "[User]: [Orphaned tool result removed due to conversation resume]"
	  "\n\n[Assistant]: b\n\n[User]: (no content)\n\n[Assistant]: d\n" },
	/* Not where a prompt is sent with them. */
	{ PART("b", "null", "02", "r") RESULT("c", "'b'", "03", "z")
		  TOLD("x", "'c'", "04") ASKS("e", "'x'", "05"),
	  "e", "[Assistant]: b\n\n[User]: e\n\n[System]: x\n" },
	/* A call whose id another one has is not sent. */
	{ CALL("a", "null", "01", "r") RESULT("b", "'a'", "02", "a")
		  BLOCK("c", "'b'", "03", "q",
			"{'type':'tool_use','id':'ta','name':'R','input':{}}"),
	  "c",
	  "[Assistant tool calls]: R()\n\n[Tool result]: b\n\n[Assistant]: "
	  "[Tool use interrupted]\n" },
	/* A response without words is not sent. */
	{ ASKS("a", "null", "01") PART("(no content)", "'a'", "02", "r")
		  ASKS("b", "'(no content)'", "03"),
	  "b", "[User]: a\n\n[User]: b\n" },
	/* Nor an empty text beside a call. Task is named Agent. */
	{ EMPTY_AND_CALL("a", "null", "01") RESULT("b", "'a'", "02", "a"), "b",
	  "[Assistant tool calls]: Agent()\n\n[Tool result]: b\n" },
	/* An open call is sent until its turn has ended. */
	{ ASKS("a", "null", "01") CALL("b", "'a'", "02", "r") CALL(
		  "c", "'b'", "03", "r") RESULT("d", "'c'", "04", "c")
		  CALL("e", "'d'", "05", "q") RESULT("f", "'e'", "06", "e"),
	  "f",
	  "[User]: a\n\n[Assistant tool calls]: R(); R()\n\n"
	  "[Tool result]: [Tool result missing due to internal error]\n\n"
	  "[Tool result]: d\n\n[Assistant tool calls]: R()\n\n"
	  "[Tool result]: f\n" },
	{ ASKS("a", "null", "01") CALL("b", "'a'", "02", "r")
		  CALL("c", "'b'", "03", "r") RESULT("d", "'c'", "04", "c")
			  PART("e", "'d'", "05", "q"),
	  "e",
	  "[User]: a\n\n[Assistant tool calls]: R()\n\n[Tool result]: d\n\n"
	  "[Assistant]: e\n" },
};

static void check_contexts(void)
{
	for (size_t i = 0; i < COUNT(contexts); i++) {
		test_row = contexts[i].lines;
		struct session *s = test_session(contexts[i].lines);
		check_context(s, contexts[i].entry, MESSAGE_FORM_TEXT,
			      contexts[i].text);
		test_close(s);
	}
	test_row = NULL;
}

static size_t count_of(const struct buf *text, const char *word)
{
	struct span rest = buf_span(text);
	const char *at;
	size_t n = 0;
	while ((at = memmem(rest.p, rest.n, word, strlen(word)))) {
		n++;
		rest.n -= (size_t)(at + 1 - rest.p);
		rest.p = at + 1;
	}
	return n;
}

/* Of more than 100 pictures and documents the oldest are not sent, or 600. */
static void check_media(void)
{
	static const struct {
		const char *model;
		size_t n;
		size_t sent;
		size_t texts;
	} rows[] = { { "claude-haiku-4-5", 99, 100, 0 },
		     { "claude-haiku-4-5", 100, 80, 20 },
		     { "claude-haiku-4-5", 120, 100, 20 },
		     { "claude-haiku-4-5", 121, 80, 41 },
		     { "claude-opus-4-7", 130, 131, 0 },
		     { "claude-opus-4-20250514", 121, 80, 41 },
		     { "some-model", 121, 80, 41 },
		     { "claude-opus-5", 599, 600, 0 },
		     { "claude-opus-5", 600, 580, 20 } };
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct buf lines = { 0 };
		struct buf json = { 0 };
		/* One is the user's, and it is not replaced. */
		buf_adds(&lines,
			 LINE("user", "a", "null", "01",
			      SAYS("user", "[{'type':'text','text':'x'},"
					   "{'type':'image','source':'y'}]")));
		buf_addf(
			&lines,
			"{'parentUuid':'a','type':'assistant','uuid':'b',"
			"'timestamp':'2026-03-01T10:00:02.000Z','message':{'id'"
			":'r','model':'%s','content':[{'type':'tool_use','id':"
			"'tb','name':'R','input':{}}]}}\n",
			rows[i].model);
		buf_adds(&lines, "{'parentUuid':'b','type':'user','uuid':'c',"
				 "'timestamp':'2026-03-01T10:00:03.000Z',"
				 "'message':{'content':[{'type':'tool_result',"
				 "'tool_use_id':'tb','content':[");
		for (size_t k = 0; k < rows[i].n; k++)
			buf_adds(&lines, k == 0 ? "{'type':'document'}"
						: ",{'type':'image'}");
		buf_adds(&lines, "]}]}}\n");
		struct session *s = test_session(buf_cstr(&lines));
		CHECK_INT(context_add(s, test_find(s, "c"), MESSAGE_FORM_JSON,
				      &json),
			  0);
		size_t sent = count_of(&json, "\"type\":\"image\"") +
			      count_of(&json, "\"type\":\"document\"");
		CHECK_INT(sent, rows[i].sent);
		CHECK_INT(count_of(&json, "[media removed: "), rows[i].texts);
		test_close(s);
		buf_free(&lines);
		buf_free(&json);
	}
}

/* Where a line moves the head: by the newest version of the lines. */
static void check_pinned_at(void)
{
	static const struct {
		const char *lines;
		bool entry;
		bool nothing;
	} rows[] = {
		{ OF("2.1.119"), false, false },
		{ OF("2.1.120"), true, false },
		{ OF("2.1.190"), true, false },
		{ OF("2.1.191"), true, true },
		{ OF("3.0.0"), true, true },
		{ OF("2.1.191") OF("2.0.1"), true, true },
		{ OF("2.0.1") OF("2.1.191"), true, true },
		{ OF("x"), true, true },
		{ ASKS("a", "null", "01"), true, true },
		/* A pin tells of one, but not that no line names one. */
		{ OLD ASKS("a", "null", "01") PIN("a", EXPLICIT), true, false },
		{ ASKS("a", "null", "01") PIN("a", EXPLICIT), true, true },
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		test_row = rows[i].lines;
		struct session *s = test_session(rows[i].lines);
		CHECK_INT(claude_pins(s, false), rows[i].entry);
		CHECK_INT(claude_pins(s, true), rows[i].nothing);
		test_close(s);
	}
	test_row = NULL;
}

static void check_problems(void)
{
	/* Lines 3 to 6 are no entries, and are not meant to be. */
	static const char lines[] = ASKS(
		"a", "null",
		"01") "{bad\n{}\n5\n{'uuid':7,'type':'user'}\n"
		      "{'type':'mode','mode':'plan'}\n" ASKS("b", "'zz'", "02")
			      ASKS("o", "'zz'", "40") ASKS("a", "null", "01")
				      ASKS("x", "'y'", "03") ASKS("y", "'x'",
								  "04")
					      BOUNDARY("z", "'z'", "05",
						       "") "{'uuid':'torn";
	struct session *s = test_session(lines);
	dialect_check_problems(
		s, "bad-lines: 1 (line 2)\nduplicate-ids: 1 (line 9)\n"
		   "missing-parents: 1 (line 8)\nbridged: 1 (line 7)\n"
		   "cycles: 2 (lines 10, 12)\ntorn-last-line: 1 (line 13)\n");
	test_close(s);
}

/* As JSON: role and content only, blocks byte for byte, a message a line. */
static void check_json(void)
{
	struct session *s = test_session(
		LINE("user", "a", "null", "01",
		     ",'message':{'content': [ {'x':1.50} ] ,'role':'user'}")
			LINE("assistant", "b", "'a'", "02",
			     ",'message':{'id':'r','content':'te\\u0078t'}")
				LINE("assistant", "c", "'b'", "03",
				     ",'message':{'id':'r','content':"
				     "[ {'y':'\\ud83d'},{} ],'usage':{}}")
					LINE("assistant", "d", "'c'", "04",
					     ",'message':{'id':'q',"
					     "'content':'alone'}"));
	check_context(s, "d", MESSAGE_FORM_JSON,
		      "[\n{'role':'user','content':[ {'x':1.50} ]},\n"
		      "{'role':'assistant','content':[{'type':'text','text':"
		      "'te\\u0078t'},{'y':'\xEF\xBF\xBD'},{}]},\n"
		      "{'role':'assistant','content':'alone'}\n]\n");
	test_close(s);
}

/* A call of a tool of the server is sent with its result in the response. */
static void check_server_calls(void)
{
	struct session *s = test_session(
		ASKS("a", "null",
		     "01") LINE("assistant", "b", "'a'", "02",
				",'message':{'id':'r','content':["
				"{'type':'server_tool_use','id':'s1'},"
				"{'type':'server_tool_use','id':'s\\u0032'},"
				"{'type':'server_tool_use','id':'s3'},"
				"{'type':'found','tool_use_id':'\\u00731'}]}")
			LINE("assistant", "c", "'b'", "03",
			     ",'message':{'id':'r','content':["
			     "{'type':'found','tool_use_id':'s2'}]}")
				LINE("assistant", "d", "'c'", "04",
				     ",'message':{'id':'q','content':["
				     "{'type':'server_tool_use','id':'s1'},"
				     "{'type':'text','text':'d'}]}"));
	check_context(s, "d", MESSAGE_FORM_JSON,
		      "[\n{'role':'user','content':'a'},\n"
		      "{'role':'assistant','content':["
		      "{'type':'server_tool_use','id':'s1'},"
		      "{'type':'server_tool_use','id':'s\\u0032'},"
		      "{'type':'found','tool_use_id':'\\u00731'},"
		      "{'type':'found','tool_use_id':'s2'}]},\n"
		      "{'role':'assistant','content':["
		      "{'type':'text','text':'d'}]}\n]\n");
	test_close(s);
}

/* What the session is, from whichever lines say it: sessfs-formats(5). */
static void check_facts(void)
{
	struct buf got = { 0 };
	struct session *s = test_session(
		"{'type':'summary','summary':'S','leafUuid':'x'}\n"
		"{'sessionId':'one','timestamp':'2026-03-01T10:00:00.000Z'}\n"
		"{'sessionId':'two','cwd':'/w','uuid':'a','type':'user',"
		"'forkedFrom':{'sessionId':'old','messageUuid':'b'}}\n");
	buf_add(&got, buf_span(&s->now.header));
	struct buf want = test_quoted("{'id':'one','cwd':'/w',"
				      "'timestamp':'2026-03-01T10:00:00.000Z',"
				      "'parentSession':'old'}");
	CHECK_SPAN(buf_span(&got), buf_span(&want));
	CHECK_SPAN(buf_span(&s->now.name), SPAN("S"));
	test_close(s);
	buf_free(&got);
	buf_free(&want);

	/* It has moved twice, as what has no sessionId does not say. */
	s = test_session("{'type':'relocated','sessionId':'5e55f500-0000-4000-"
			 "8000-000000000001',"
			 "'relocatedCwd':'/one'}\n"
			 "{'sessionId':'s','cwd':'/w','uuid':'a'}\n"
			 "{'type':'relocated','sessionId':'s',"
			 "'relocatedCwd':'/two'}\n"
			 "{'type':'relocated','sessionId':'s',"
			 "'relocatedCwd':''}\n"
			 "{'type':'relocated','relocatedCwd':'/three'}\n"
			 "{'sessionId':'s','cwd':'/w','uuid':'b'}\n");
	json_decode(&got, session_header(s, "cwd"));
	CHECK_SPAN(buf_span(&got), SPAN("/two"));
	buf_free(&got);
	test_close(s);

	/* An empty title is none. */
	s = test_session("{'type':'ai-title','aiTitle':' Made ',"
			 "'sessionId':'5e55f500-0000-4000-8000-000000000001'}\n"
			 "{'type':'custom-title','customTitle':' '}\n"
			 "{'type':'summary','summary':'S'}\n"
			 "{'type':'ai-title','aiTitle':7}\n");
	CHECK_SPAN(buf_span(&s->now.name), SPAN("Made"));
	test_close(s);

	/* Of a kind the last one. */
	s = test_session("{'type':'custom-title','customTitle':'One',"
			 "'sessionId':'5e55f500-0000-4000-8000-000000000001'}\n"
			 "{'type':'ai-title','aiTitle':'Made'}\n"
			 "{'type':'custom-title','customTitle':'Two'}\n");
	CHECK_SPAN(buf_span(&s->now.name), SPAN("Two"));
	test_close(s);
}

static void check_model(const char *lines, const char *want)
{
	struct buf model = { 0 };
	struct buf thinking = { 0 };
	struct session *s = test_session(lines);
	CHECK_INT(s->dialect->telling->settings(s, s->now.leaf, &model,
						&thinking),
		  0);
	CHECK_BUF(&model, want);
	CHECK_BUF(&thinking, "");
	test_close(s);
	buf_free(&model);
	buf_free(&thinking);
}

static void check_models(void)
{
#define ANSWER(id, parent, model)           \
	LINE("assistant", id, parent, "01", \
	     ",'message':{'content':'x','model':" model "}")
	check_model("{'type':'mode','sessionId':'5e55f500-0000-4000-8000-"
		    "000000000001'}\n",
		    "");
	check_model(ANSWER("a", "null", "'one'") ANSWER("b", "'a'", "'two'"),
		    "two");
	check_model(ANSWER("a", "null", "'one'")
			    ANSWER("b", "'a'", "'<synthetic>'")
				    ANSWER("c", "'b'", "7"),
		    "one");
}

/* Lines of `meta` that only these entries have. */
static void check_meta(void)
{
	struct buf got = { 0 };
	struct session *s = dialect_session(
		"claude",
		"{'type':'assistant','uuid':'a','sessionId':'s','cwd':'/w',"
		"'gitBranch':'main','isSidechain':true,'agentId':'ag',"
		"'costUSD':0.5,'message':{'id':'r','role':'assistant',"
		"'model':'m','stop_reason':'tool_use','usage':"
		"{'input_tokens':1,'output_tokens':2,"
		"'cache_read_input_tokens':3,"
		"'cache_creation_input_tokens':4,'service_tier':'x'},"
		"'content':[{'type':'tool_use','name':'R'},"
		"{'type':'tool_use','name':'W'}]}}\n"
		"{'type':'user','uuid':'b','parentUuid':'a','isMeta':true,"
		"'message':{'content':[{'type':'tool_result',"
		"'tool_use_id':'t1','is_error':true}]}}\n"
		"{'type':'system','uuid':'c','subtype':'local_command'}\n"
		"{'type':'attachment','uuid':'d','attachment':"
		"{'type':'prompt_snapshot'}}\n");
	CHECK_INT(meta_add(s, test_find(s, "a"), &got), 0);
	CHECK_BUF(&got, "id: a\ntype: assistant\nline: 1\nrole: assistant\n"
			"model: m\ntokens: 10\ncost: 0.5\nstop: tool_use\n"
			"tool: R, W\nmessage-id: r\nsidechain: yes\n"
			"agent: ag\ncwd: /w\nbranch: main\n"
			"path-tokens: 10\npath-cost: 0.5\n");
	CHECK_INT(meta_add(s, test_find(s, "b"), &got), 0);
	CHECK_BUF(&got, "id: b\nparent: a\ntype: user\nline: 2\ntool: t1\n"
			"error: yes\nmeta: yes\n"
			"path-tokens: 10\npath-cost: 0.5\n");
	CHECK_INT(meta_add(s, test_find(s, "c"), &got), 0);
	CHECK_BUF(&got, "id: c\ntype: system\nline: 3\n"
			"subtype: local_command\n");
	CHECK_INT(meta_add(s, test_find(s, "d"), &got), 0);
	CHECK_BUF(&got, "id: d\ntype: attachment\nline: 4\nbookkeeping: yes\n"
			"subtype: prompt_snapshot\n");
	test_close(s);
	buf_free(&got);
}

/* Content of what is no message. */
static void check_content(void)
{
	static const struct {
		const char *line;
		const char *content;
	} rows[] = {
		{ LINE("system", "a", "null", "01", ",'content':'said'"),
		  "said\n" },
		{ LINE("system", "a", "null", "01",
		       ",'subtype':'turn_duration','durationMs':5"),
		  "{\n  'subtype': 'turn_duration',\n  'durationMs': 5\n}\n" },
		{ LINE("attachment", "a", "null", "01",
		       ",'attachment':{'type':'x'},'userType':'external',"
		       "'version':'2','slug':'y'"),
		  "{\n  'attachment': {\n    'type': 'x'\n  }\n}\n" },
		{ LINE("user", "a", "null", "01", ",'message':7"),
		  "{\n  'message': 7\n}\n" },
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct buf got = { 0 };
		struct buf want = test_quoted(rows[i].content);
		test_row = rows[i].line;
		struct session *s = dialect_session("claude", rows[i].line);
		CHECK_INT(content_add(s, 0, &got), 0);
		CHECK_SPAN(buf_span(&got), buf_span(&want));
		test_close(s);
		buf_free(&got);
		buf_free(&want);
	}
	test_row = NULL;
}

/* A response of many lines, each with a result off the chain. */
static void check_many(void)
{
	enum { MANY = 20000 };
	struct buf b = test_quoted(ASKS("c0", "null", "01"));
	struct buf got = { 0 };
	size_t at = 0;
	for (int i = 1; i <= MANY; i++)
		buf_addf(&b,
			 "{\"type\":\"assistant\",\"uuid\":\"c%d\","
			 "\"parentUuid\":\"c%d\",\"message\":{\"id\":\"r\","
			 "\"content\":[{\"type\":\"tool_use\",\"id\":\"t%d\","
			 "\"name\":\"R\",\"input\":{}}]}}\n",
			 i, i - 1, i);
	for (int i = 1; i <= MANY; i++)
		buf_addf(&b,
			 "{\"type\":\"user\",\"uuid\":\"r%d\","
			 "\"parentUuid\":\"c%d\",\"message\":{\"content\":[{"
			 "\"type\":\"tool_result\",\"tool_use_id\":\"t%d\","
			 "\"content\":\"x\"}]}}\n",
			 i, i, i);
	test_put(test_path("s.jsonl"), O_TRUNC, buf_span(&b));
	struct session *s = dialect_open("s.jsonl", NULL);
	CHECK_INT(context_add(s, s->now.leaf, MESSAGE_FORM_JSON, &got), 0);
	for (int i = 1; i <= MANY; i++) {
		buf_clear(&b);
		buf_addf(&b, "\"tool_use_id\":\"t%d\"", i);
		const char *found =
			memmem(got.data + at, got.len - at, b.data, b.len);
		if (!CHECK(found != NULL))
			break;
		at = (size_t)(found - got.data);
	}
	test_close(s);
	buf_free(&b);
	buf_free(&got);
}

int main(void)
{
	check_records();
	check_growing_record();
	check_torn_value();
	check_media();
	check_claims();
	check_leaves();
	check_random_leaves(add_random_line, 40);
	check_random_leaves(add_random_turn, 100);
	check_contexts();
	check_pinned_at();
	check_problems();
	check_json();
	check_server_calls();
	check_facts();
	check_models();
	check_meta();
	check_content();
	check_many();
	return test_done("claude");
}
