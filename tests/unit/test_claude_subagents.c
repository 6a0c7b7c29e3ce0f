/* The subagents that the calls of a Claude Code session started. */
#include "core/dialects/claude/claude.h"
#include "core/session/started.h"

#include "tests/unit/dialect_test.h"

#define LINE(type, id, parent, rest)                                       \
	"{'type':'" type                                                   \
	"','sessionId':'5e55f500-0000-4000-8000-000000000001','uuid':'" id \
	"','parentUuid':'" parent "','timestamp':'2026-03-01T10:00:0"      \
	"0.000Z'" rest "}\n"
#define ASKS(id, parent) LINE("user", id, parent, ",'message':{'content':'x'}")
#define CALL(id, parent)                                                     \
	LINE("assistant", id, parent,                                        \
	     ",'message':{'content':[{'type':'tool_use','id':'t','name':'x'" \
	     "}]}")
#define RESULT(id, parent, text, rest)                                    \
	LINE("user", id, parent,                                          \
	     ",'message':{'content':[{'type':'tool_result','tool_use_id'" \
	     ":'t','content':'" text "'}]}" rest)
#define STARTED(id, parent, agent) \
	RESULT(id, parent, "", ",'toolUseResult':{'agentId':'" agent "'}")
#define LONG "0123456789012345678901234567890123456789012345678901234567890123"

/* Each entry with its subagents, as "ID=NAME,NAME ". */
static void list(const struct session *s, struct buf *out)
{
	for (uint32_t i = 0; i < s->now.index.n; i++) {
		struct buf name = { 0 };
		uint32_t n = 0;
		for (; started_add_name(&s->now.started, i, n, &name); n++) {
			buf_add(out, n ? SPAN(",") : test_id(s, i));
			buf_adds(out, n ? "" : "=");
			buf_add(out, buf_span(&name));
			buf_clear(&name);
		}
		buf_adds(out, n ? " " : "");
		buf_free(&name);
	}
}

static void check(const char *file, const char *lines, const char *want)
{
	struct buf got = { 0 };
	test_row = lines;
	test_file(file, lines);
	struct session *s = dialect_open(file, "claude");
	list(s, &got);
	CHECK_BUF(&got, want);
	buf_free(&got);
	test_close(s);
	test_row = NULL;
}

TEST(check_callers)
{
	static const struct {
		const char *lines;
		const char *want;
	} rows[] = {
		{ CALL("c", "-") STARTED("r", "c", "a1"), "c=agent-a1 " },
		/* In the order of the results, each once. */
		{ CALL("c", "-") STARTED("r", "c", "b") STARTED("q", "c", "a")
			  STARTED("p", "c", "a"),
		  "c=agent-b,agent-a " },
		{ CALL("c", "-") CALL("d", "c") STARTED("r", "d", "a")
			  STARTED("q", "c", "b"),
		  "c=agent-b d=agent-a " },
		/* The entry that is named, if it is one of the assistant. */
		{ CALL("c", "-") ASKS("a", "c")
			  RESULT("r", "a", "",
				 ",'toolUseResult':{'agentId':'x'},"
				 "'sourceToolAssistantUUID':'c'"),
		  "c=agent-x " },
		{ CALL("c", "-") ASKS("a", "-")
			  RESULT("r", "c", "",
				 ",'toolUseResult':{'agentId':'x'},"
				 "'sourceToolAssistantUUID':'a'"),
		  "c=agent-x " },
		{ ASKS("a", "-") STARTED("r", "a", "x"), "" },
		{ STARTED("r", "gone", "x"), "" },
		/* A name of a file is made of the id. */
		{ CALL("c", "-") STARTED("r", "c", "../x"), "" },
		{ CALL("c", "-") STARTED("r", "c", "a/b"), "" },
		{ CALL("c", "-") STARTED("r", "c", "a\\u0000b"), "" },
		{ CALL("c", "-") STARTED("r", "c", "\u00e9"), "" },
		{ CALL("c", "-") STARTED("r", "c", ""), "" },
		{ CALL("c", "-") STARTED("r", "c", LONG "x"), "" },
		{ CALL("c", "-") STARTED("r", "c", LONG), "c=agent-" LONG " " },
		{ CALL("c", "-") RESULT("r", "c", "", ",'toolUseResult':7"),
		  "" },
		/* A text says nothing in a session of its own. */
		{ CALL("c", "-") RESULT("r", "c", "agentId: x", ""), "" },
	};
	for (size_t i = 0; i < COUNT(rows); i++)
		check("s.jsonl", rows[i].lines, rows[i].want);
}

/* In a subagent's transcript the text of a result says it, in its last line. */
TEST(check_texts)
{
	static const struct {
		const char *lines;
		const char *want;
	} rows[] = {
		{ CALL("c", "-")
			  RESULT("r", "c", "done\\nagentId: x (y)\\n", ""),
		  "c=agent-x " },
		{ CALL("c", "-")
			  RESULT("r", "c", "agentId: x\\nagentId: y z", ""),
		  "c=agent-y " },
		{ CALL("c", "-") RESULT("r", "c", " agentId: x", ""), "" },
		{ CALL("c", "-") RESULT("r", "c", "agentId: ", ""), "" },
		{ CALL("c", "-") RESULT("r", "c", "agentId: ../x", ""), "" },
		{ CALL("c", "-")
			  RESULT("r", "c", "agentId: x", ",'toolUseResult':{}"),
		  "" },
	};
	for (size_t i = 0; i < COUNT(rows); i++)
		check("agent-s.jsonl", rows[i].lines, rows[i].want);
}

/* Inode numbers have room for so many. */
TEST(check_limit)
{
	struct buf lines = { 0 };
	struct buf name = { 0 };
	buf_adds(&lines, CALL("c", "-"));
	for (uint32_t i = 0; i <= STARTED_LIMIT; i++)
		buf_addf(&lines, STARTED("r%u", "c", "%u"), i, i);
	struct session *s = dialect_session("claude", buf_cstr(&lines));
	CHECK(started_add_name(&s->now.started, 0, STARTED_LIMIT - 1, &name));
	CHECK_BUF(&name, "agent-15999");
	CHECK(!started_add_name(&s->now.started, 0, STARTED_LIMIT, &name));
	CHECK_INT(started_caller(&s->now.started, STARTED_LIMIT - 1), 0);
	CHECK_INT(started_caller(&s->now.started, STARTED_LIMIT), INDEX_NONE);
	test_close(s);
	buf_free(&lines);
	buf_free(&name);
}

RUN_TESTS("claude_subagents")
