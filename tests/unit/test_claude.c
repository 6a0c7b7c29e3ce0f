/*
 * Claude Code's transcripts: sessfs-formats(5). What a rule makes of a session
 * is in tests/corpus/claude; here is how they grow, and what they cost.
 */
#include "core/dialects/claude/claude.h"
#include "core/session/dialect.h"
#include "tests/unit/dialect_test.h"

/* `parent` is JSON; `second` makes the time; `rest` is members. */
#define LINE(type, id, parent, second, rest)                                  \
	"{'parentUuid':" parent ",'isSidechain':false,'sessionId':'5e55f500-" \
	"0000-4000-8000-000000000001',"                                       \
	"'type':'" type "'" rest ",'uuid':'" id "','timestamp':'2026-03-"     \
	"01T10:00:" second ".000Z'}\n"
#define SAYS(role, content) \
	",'message':{'role':'" role "','content':" content "}"
#define ASKS(id, parent, second) \
	LINE("user", id, parent, second, SAYS("user", "'" id "'"))
#define PIN_AT(leaf, rest) "{'type':'last-prompt','leafUuid':" leaf rest "}\n"
#define PIN(id, rest) PIN_AT("'" id "'", rest)
#define EXPLICIT ",'explicit':true"

/* Written by a version of the agent. */
#define OF(version)                                                           \
	"{'type':'mode','sessionId':'5e55f500-0000-4000-8000-000000000001','" \
	"version':'" version "'}\n"
/* It knows no pins. */
#define OLD OF("2.0.76")

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
	check_growing_record();
	check_media();
	check_random_leaves(add_random_line, 40);
	check_random_leaves(add_random_turn, 100);
	check_pinned_at();
	check_many();
	return test_done("claude");
}
