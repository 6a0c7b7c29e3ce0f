/* The subagents that the calls of a Claude Code session started. */
#include "core/dialects/claude/claude.h"
#include "core/session/started.h"

#include "tests/unit/dialect_test.h"
#include "tests/unit/tables.h"

#define CONTENT(block) ",'message':{'content':[{" block "}]}"
#define RESULT "'type':'tool_result','tool_use_id':'t','content':'"

static void add_line(struct buf *out, const char *type, struct span id,
		     struct span parent, const char *rest)
{
	buf_addf(out,
		 "{'type':'%s','sessionId':'5e55f500-0000-4000-8000-"
		 "000000000001','uuid':'%.*s','parentUuid':'%.*s','timestamp':"
		 "'2026-03-01T10:00:00.000Z'%s}\n",
		 type, (int)id.n, id.p, (int)parent.n, parent.p, rest);
}

/* A result, and what it says: "started:ID", "for CALL:ID", "text:TEXT". */
static void add_result(struct buf *out, struct span id, struct span parent,
		       struct span says)
{
	struct buf rest = { 0 };
	struct span what = span_next(&says, ':');
	struct span call = what;
	bool is_for = span_eq(span_next(&call, ' '), SPAN("for"));
	buf_adds(&rest, ",'message':{'content':[{" RESULT);
	if (span_starts(what, SPAN("text")))
		buf_add(&rest, says);
	buf_adds(&rest, "'}]}");
	if (is_for || span_eq(what, SPAN("started"))) {
		buf_adds(&rest, ",'toolUseResult':{'agentId':'");
		buf_add(&rest, says);
		buf_adds(&rest, "'}");
	}
	if (is_for)
		buf_addf(&rest, ",'sourceToolAssistantUUID':'%.*s'",
			 (int)call.n, call.p);
	if (span_ends(what, SPAN("object")))
		buf_adds(&rest, span_starts(what, SPAN("no"))
					? ",'toolUseResult':7"
					: ",'toolUseResult':{}");
	add_line(out, "user", id, parent, buf_cstr(&rest));
	buf_free(&rest);
}

static void add_piece(struct buf *out, struct span piece)
{
	struct span id = span_next(&piece, '<');
	struct span parent = span_next(&piece, '=');
	if (span_eq(piece, SPAN("call")))
		add_line(out, "assistant", id, parent,
			 CONTENT("'type':'tool_use','id':'t','name':'x'"));
	else if (span_eq(piece, SPAN("words")))
		add_line(out, "user", id, parent, ",'message':{'content':'x'}");
	else
		add_result(out, id, parent, piece);
}

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

TABLE(check_callers, "claude_subagents")
{
	struct buf lines = { 0 };
	struct span rest = row_field(r, 1);
	test_row = row_text(r, 1);
	while (rest.n > 0) {
		const char *end = memmem(rest.p, rest.n, " + ", 3);
		size_t n = end ? (size_t)(end - rest.p) : rest.n;
		add_piece(&lines, (struct span){ rest.p, n });
		n += end ? 3 : 0;
		rest = (struct span){ rest.p + n, rest.n - n };
	}
	test_file(row_text(r, 0), buf_cstr(&lines));
	struct session *s = dialect_open(row_text(r, 0), "claude");
	list(s, made);
	test_close(s);
	buf_free(&lines);
}

/* Inode numbers have room for so many. */
TEST(check_limit)
{
	struct buf lines = { 0 };
	struct buf name = { 0 };
	add_piece(&lines, SPAN("c<=call"));
	for (uint32_t i = 0; i <= STARTED_LIMIT; i++) {
		char piece[40];
		snprintf(piece, sizeof(piece), "r%u<c=started:%u", i, i);
		add_piece(&lines, span_of(piece));
	}
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
