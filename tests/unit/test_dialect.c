#include "core/session/detect.h"

#include "tests/unit/test.h"

#define CLAUDE "{'type':'user','uuid':'u','parentUuid':null,'sessionId':'s'}\n"
#define GO "{'id':'g','kind':'turn.user','ts':'2026-05-01T00:00:01Z'}\n"

/* What a file is taken for, and by which line; "" for nobody's. */
static void check_detect(const char *text, const char *want, uint32_t line)
{
	struct log log;
	struct verdict v;
	test_row = text;
	CHECK_INT(log_open(&log, NULL, test_file("d", text)), 0);
	CHECK_INT(dialect_detect(&dialect_registry, &log, &v), 0);
	CHECK_SPAN(span_of(v.dialect ? v.dialect->name : ""), span_of(want));
	CHECK_INT(v.line, line);
	CHECK_INT(v.reason != NULL, want[0] != '\0');
	log_close(&log);
	test_row = NULL;
}

static void check_rows(void)
{
	check_detect("", "", 0);
	check_detect("\n\n", "", 0);
	check_detect("{'foo':1}\n[]\n5\nnull\n", "", 0);
	check_detect(HEADER, "pi", 1);
	check_detect("\n junk\n{'foo':1}\n" HEADER, "pi", 4);
	check_detect(USER("a", "null", "x"), "pi", 1);
	/* FORMATS.md, section 1, row by row. */
	check_detect("{'type':'title','v':1,'title':'t','updatedAt':'u',"
		     "'pad':' '}\n" HEADER,
		     "omp", 1);
	check_detect("{'kind':'header','v':4,'id':'x','ts':'2026-05-01T00:00:"
		     "01Z'}\n",
		     "lines", 1);
	check_detect("{'type':'session','version':2,'uuid':'a',"
		     "'parentUuid':null,'id':'i'}\n",
		     "draft-uuid", 1);
	check_detect("{'type':'session','id':'i','parent':-1}\n", "draft-index",
		     1);
	check_detect(GO, "go-tree", 1);
	check_detect(CLAUDE, "claude", 1);
	check_detect("{'type':'summary','summary':'x','leafUuid':'u'}\n",
		     "claude", 1);
	/* What another row's header has besides does not make it that one. */
	check_detect("{'type':'session','version':3,'id':'i','parent':-1}\n",
		     "pi", 1);
	check_detect("{'type':'session','version':3,'id':'i','uuid':null}\n",
		     "pi", 1);
	check_detect("{'id':'g','kind':'turn.user','ts':'2026-05-01T00:00:01Z',"
		     "'sessionId':'s'}\n",
		     "go-tree", 1);
	check_detect("{'kind':'header','v':4,'type':'x','sessionId':'s'}\n",
		     "lines", 1);
	check_detect("{'sessionId':'s'}\n" HEADER, "pi", 2);
	/* A last line without its end counts, if it is whole. */
	check_detect("{'type':'session','id':'i'}", "pi", 1);
	check_detect("{'type':'session','id':'i'", "", 0);
	check_detect("\xEF\xBB\xBF" HEADER, "pi", 1);
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

/* What an open session is taken for in the end. */
static void check_turn(const char *text, const char *want, uint32_t line)
{
	test_row = text;
	struct session *s = test_session(text);
	CHECK_SPAN(span_of(s->dialect->name), span_of(want));
	CHECK_INT(s->reason_line, line);
	test_close(s);
	test_row = NULL;
}

static void check_turns(void)
{
	check_turn(HEADER USER("a", "null", "x"), "pi", 1);
	check_turn(HEADER USER("a", "null", "x")
			   ENTRY("leaf", "b", "'a'", ",'targetId':null"),
		   "pi-harness", 3);
	check_turn(HEADER USER("a", "null", "x")
			   ENTRY("reset_boundary", "b", "'a'", ""),
		   "omp", 3);
	/* The first that tells decides. */
	check_turn(HEADER ENTRY("reset_boundary", "b", "null", "")
			   ENTRY("leaf", "c", "'b'", ",'targetId':null"),
		   "omp", 2);
	/* A line that is no entry tells nothing. */
	check_turn(HEADER "{'type':'leaf'}\n", "pi", 1);
	check_turn("", "pi", 0);
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

int main(void)
{
	check_rows();
	check_limits();
	check_turns();
	check_forced();
	check_names();
	return test_done("dialect");
}
