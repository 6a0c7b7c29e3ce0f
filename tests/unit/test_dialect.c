#include "core/session/detect.h"

#include "core/session/writer.h"
#include "tests/unit/dialect_test.h"

/* What a file is taken for, and by which line; "" for nobody's. */
static void check_detect(const char *text, const char *want, uint32_t line)
{
	struct log log;
	struct feed f = { .step = 7 };
	struct verdict v;
	test_row = text;
	CHECK_INT(log_open(&log, NULL, test_file("d", text)), 0);
	CHECK_INT(dialect_detect(&dialect_registry, &log, &f, &v), 0);
	/* What was read is left for the next reader. */
	struct buf all = test_quoted(text);
	CHECK_INT(f.offset, 0);
	CHECK(span_starts(buf_span(&all), f.rest));
	buf_free(&all);
	buf_free(&f.chunk);
	CHECK_SPAN(span_of(v.dialect ? v.dialect->name : ""), span_of(want));
	CHECK_INT(v.line, line);
	CHECK(v.dialect == NULL || v.reason != NULL);
	log_close(&log);
	test_row = NULL;
}

/* However it comes in pieces; what else is told from what: tests/corpus. */
static void check_pieces(void)
{
	check_detect("", "", 0);
	check_detect("\n\n", "", 0);
	check_detect("\n junk\n{'foo':1}\n" HEADER, "pi", 4);
}

/* Write to a session of a header, to which lines are appended. */
static void check_grown(const char *lines, int want, bool same_epoch)
{
	struct writer w;
	test_row = lines;
	struct session *s = test_session(HEADER);
	uint32_t epoch = s->epoch;
	session_leave(s);
	test_append("s.jsonl", lines);
	CHECK_INT(session_enter(s), 0);
	CHECK_SPAN(span_of(s->dialect->name), SPAN("pi"));
	CHECK_INT(session_writable(s), want);
	CHECK_INT(s->epoch == epoch, same_epoch);
	session_leave(s);
	int err = writer_begin(&w, s);
	CHECK_INT(err, want);
	if (!err)
		writer_end(&w);
	session_free(s);
	test_row = NULL;
}

/* Not for ever: 64 values, or a megabyte of anything. */
static void check_limits(void)
{
	struct buf text = { 0 };
	for (int i = 0; i < 63; i++)
		buf_adds(&text, "{}\n");
	buf_adds(&text, HEADER);
	check_detect(buf_cstr(&text), "pi", 64);
	buf_clear(&text);
	for (int i = 0; i < 64; i++)
		buf_adds(&text, "{}\n");
	buf_adds(&text, HEADER);
	check_detect(buf_cstr(&text), "", 0);
	buf_clear(&text);
	for (int i = 0; i < 600000; i++)
		buf_adds(&text, "x\n");
	buf_adds(&text, HEADER);
	check_detect(buf_cstr(&text), "", 0);
	buf_free(&text);
}

/* What is asked for is not turned. */
static void check_forced(void)
{
	struct session *s = NULL;
	const char *reason;
	const char *path = test_file(
		"s.jsonl", HEADER ENTRY("reset_boundary", "b", "null", ""));
	const struct session_opening how = { .dialects = &dialect_registry,
					     .forced = dialect_named(
						     SPAN("pi")) };
	CHECK_INT(session_open(&s, path, &how, &reason), 0);
	CHECK_SPAN(span_of(s->dialect->name), SPAN("pi"));
	CHECK_SPAN(span_of(s->reason), SPAN("-o dialect"));
	session_free(s);
}

static void check_names(void)
{
	struct buf names = { 0 };
	dialect_add_names(&names);
	CHECK(memmem(names.data, names.len, "claude", 6) != NULL);
	CHECK(dialect_named(SPAN("claude")) != NULL);
	CHECK(dialect_named(SPAN("Claude")) == NULL);
	CHECK(dialect_named(SPAN("")) == NULL);
	buf_free(&names);
}

#define CLAUDE_LINE                                                           \
	"{'type':'user','uuid':'a','parentUuid':null,'isSidechain':false,"    \
	"'sessionId':'5e55f500-0000-4000-8000-000000000001','timestamp':'202" \
	"6-03-01T10:00:01.000Z','message':{'role':'user','content':["

/* JSON may be nested as deep as it likes: it is an entry like any other. */
static void check_deep(void)
{
	enum { DEEP = 100000 };
	static const struct {
		const char *before, *after;
	} rows[] = {
		{ HEADER "{'type':'custom','id':'a','parentId':null,'data':",
		  "}\n" },
		{ HEADER "{'type':'message','id':'a','parentId':null,'message':"
			 "{'role':'assistant','content':[{'type':'toolCall',"
			 "'id':'c','name':'t','arguments':{'a':",
		  "}}]}}\n" },
		{ OMP_HEADER "{'type':'message','id':'a','parentId':null,"
			     "'message':{'role':'user','content':[",
		  "]}}\n" },
		{ CLAUDE_LINE, "]}}\n" },
		{ "{'type':'session','uuid':'s','version':2}\n"
		  "{'type':'future','uuid':'a','parentUuid':'s','x':",
		  "}\n" },
		{ "{'type':'session','id':'i','parent':-1,'cwd':'/'}\n"
		  "{'type':'future','parent':0,'x':",
		  "}\n" },
		{ "{'id':'01HZZZZZZZ0000000000000001','kind':'custom.x','ts':"
		  "'2026-05-01T00:00:01Z','payload':{'x':",
		  "}}\n" },
	};
	struct buf deep = { 0 };
	buf_fill(&deep, '[', DEEP);
	buf_fill(&deep, ']', DEEP);
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct buf text = { 0 };
		struct buf content = { 0 };
		test_row = rows[i].before;
		buf_adds(&text, rows[i].before);
		buf_add(&text, buf_span(&deep));
		buf_adds(&text, rows[i].after);
		struct session *s = test_session(buf_cstr(&text));
		uint32_t last = s->now.index.n - 1;
		dialect_ask_all(s);
		CHECK_INT(content_add(s, last, &content), 0);
		CHECK(content.len > 2 * DEEP && content.len < 3 * DEEP);
		test_close(s);
		buf_free(&text);
		buf_free(&content);
	}
	test_row = NULL;
	buf_free(&deep);
}

int main(void)
{
	check_pieces();
	check_deep();
	/* An agent begins; a program's output only began like a session. */
	check_grown(USER("a", "null", "x"), 0, true);
	check_grown("{'type':'agent_start'}\n", -EROFS, false);
	check_limits();
	check_forced();
	check_names();
	return test_done("dialect");
}
