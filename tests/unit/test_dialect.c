#include "core/session/detect.h"

#include "core/session/writer.h"
#include "tests/unit/test.h"

#define CLAUDE                                         \
	"{'type':'user','uuid':'u','parentUuid':null," \
	"'sessionId':'5e55f500-0000-4000-8000-000000000001'}\n"
#define GO                                                                     \
	"{'id':'01HZZZZZZZ0000000000000001','kind':'turn.user','ts':'2026-05-" \
	"01T00:00:01Z','payload':{"                                            \
	"}}\n"

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

static void check_rows(void)
{
	check_detect("", "", 0);
	check_detect("\n\n", "", 0);
	check_detect("{'foo':1}\n[]\n5\nnull\n", "", 0);
	check_detect(HEADER, "pi", 1);
	check_detect("\n junk\n{'foo':1}\n" HEADER, "pi", 4);
	check_detect(USER("a", "null", "x"), "pi", 1);
	/* sessfs-formats(5), row by row. */
	check_detect("{'type':'title','v':1,'title':'t','updatedAt':'u',"
		     "'pad':' '}\n" HEADER,
		     "omp", 1);
	check_detect("{'kind':'header','v':4,'storageVersion':1,'id':'x',"
		     "'cwd':'/'}\n",
		     "lines", 1);
	check_detect("{'type':'session','version':2,'uuid':'a',"
		     "'parentUuid':null,'id':'i'}\n",
		     "draft-uuid", 1);
	check_detect("{'type':'session','id':'i','cwd':'/','parent':-1}\n",
		     "draft-index", 1);
	check_detect(GO, "go-tree", 1);
	check_detect(CLAUDE, "claude", 1);
	check_detect("{'type':'summary','summary':'x','leafUuid':'u'}\n",
		     "claude", 1);
	/* What another row's header has besides does not make it that one. */
	check_detect("{'type':'session','version':3,'id':'i','parent':-1,'"
		     "timestamp':'t','cwd':'/'}\n",
		     "pi", 1);
	check_detect("{'type':'session','version':3,'id':'i','uuid':null,'"
		     "timestamp':'t','cwd':'/'}\n",
		     "pi", 1);
	check_detect("{'id':'01HZZZZZZZ0000000000000001','kind':'turn.user','"
		     "ts':'2026-05-01T00:00:01Z',"
		     "'payload':{},'sessionId':'s'}\n",
		     "go-tree", 1);
	check_detect("{'kind':'header','v':4,'type':'x','sessionId':'s',"
		     "'storageVersion':1,'id':'x','cwd':'/'}\n",
		     "lines", 1);
	check_detect("{'sessionId':'s'}\n" HEADER, "pi", 2);
	/* A last line without its end counts, if it is whole. */
	check_detect("{'type':'session','version':3,'id':'i','timestamp':'t','"
		     "cwd':'/'}",
		     "pi", 1);
	check_detect("{'type':'session','id':'i'", "", 0);
	check_detect("\xEF\xBB\xBF" HEADER, "pi", 1);
}

#define WEAK "{'type':'session','id':'i','version':2}\n"
#define LINEAR "{'type':'session','id':'i','cwd':'/'}\n"
#define SLOT "{'type':'title','v':1,'title':'t','updatedAt':'u','pad':' '}\n"

/* What looks like a header is one if an entry comes next. */
static void check_tentative(void)
{
	check_detect(WEAK, "", 0);
	check_detect(WEAK "bad\n5\n{'torn':", "", 0);
	check_detect(WEAK USER("a", "null", "x"), "pi", 1);
	check_detect(WEAK "{'type':'x','id':'a','parentId':null}\n", "pi", 1);
	check_detect(WEAK "bad\n{'type':'usage','id':'a'}\n", "pi", 1);
	check_detect(LINEAR "{'type':'message','message':{}}\n", "pi", 1);
	check_detect(LINEAR "{'type':'message','text':'x'}\n", "", 0);
	check_detect(LINEAR LINEAR, "", 0);
	check_detect(SLOT, "", 0);
	check_detect(SLOT "bad\n" HEADER, "omp", 1);
	check_detect(SLOT USER("a", "null", "x"), "omp", 1);
	/* An auth store's records, a trace, a report. */
	check_detect("{'type':'session','id':'i','user':'u'}\n", "", 0);
	check_detect(LINEAR "{'type':'login','id':'a'}\n", "", 0);
	check_detect(WEAK "{'type':'span','id':'a'}\n", "", 0);
	check_detect(WEAK "{'event':'login'}\n" USER("a", "null", "x"), "", 0);
	check_detect(SLOT "{'type':'row','x':1}\n" HEADER, "", 0);
	/* What has all that Pi writes is its header, whatever comes next. */
	check_detect(HEADER "{'event':'login'}\n{}\n", "pi", 1);
}

/* What other programs write that resembles a session. */
static void check_loose(void)
{
	static const char *const rows[] = {
		"{'level':30,'type':'request','sessionId':'s','msg':'x'}\n",
		"{'sessionId':'s','uuid':'u','event':'login'}\n",
		"{'type':'mode','sessionId':'s','value':'dark'}\n",
		"{'type':'usage','id':'1','parentId':null,'tokens':5}\n",
		"{'type':'click','sessionId':'s','uuid':'u'}\n",
		"{'id':'1','type':'FRAME','parentId':null}\n",
		"{'id':'1','type':'label','parentId':null,'text':'x'}\n",
		"{'type':'message','id':'1','parentId':'0','message':"
		"{'role':'user','content':'x'}}\n",
		"{'type':'message','id':'1','parentId':'0','message':"
		"{'role':'bot','timestamp':1}}\n",
		"{'id':'1','kind':'reading','ts':'2026-05-01T00:00:01Z'}\n",
		"{'id':'1','kind':'reading','ts':'now','payload':{}}\n",
		"{'type':'session','parent':-1,'id':7,'cwd':'/'}\n",
		"{'type':'session','uuid':'u','name':'x'}\n",
		"{'v':4,'kind':'header','table':'orders'}\n",
		"{'type':'session_meta','timestamp':'t','payload':{}}\n",
	};
	for (size_t i = 0; i < COUNT(rows); i++)
		check_detect(rows[i], "", 0);
}

/* By which line whose it is, and what is said. */
static void check_foreign(void)
{
#define ENVELOPE "'uuid':'u','parentUuid':null,'sessionId':"
#define UUID "'5e55f500-0000-4000-8000-000000000001'"
	static const struct {
		const char *text;
		const char *says;
		uint32_t line;
	} rows[] = {
		{ "{}\n{" ENVELOPE "'session-1','type':'user'}\n",
		  "looks like iFlow CLI's: not supported", 2 },
		{ "{'type':'session.start','data':{},'id':'a','parentId':"
		  "null}",
		  "looks like Copilot CLI's: not supported", 1 },
		{ "{'sessionId':'s','projectHash':'h'}\n",
		  "looks like Gemini CLI's: not supported", 1 },
		{ HEADER "{'type':'agent_start'}\n",
		  "the output of pi --mode json, not a session", 2 },
		{ "{'type':'thread.started','thread_id':'t'}\n",
		  "the output of codex exec --json, not a session", 1 },
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct session *s = NULL;
		const char *reason = "";
		check_detect(rows[i].text, "", rows[i].line);
		test_row = rows[i].text;
		const char *path = test_file("s.jsonl", rows[i].text);
		const struct session_opening how = {
			.dialects = &dialect_registry
		};
		CHECK_INT(session_open(&s, path, &how, &reason), -EPROTO);
		struct span says = span_of(rows[i].says);
		CHECK(span_starts(span_of(reason), says));
		CHECK(strstr(reason, "-o dialect=lines") != NULL);
		session_free(s);
		test_row = NULL;
	}
	/* The first line that decides does. */
	check_detect(CLAUDE "{'sessionId':'s','projectHash':'h'}\n", "claude",
		     1);
	check_detect(HEADER USER("a", "null", "x") "{'type':'agent_start'}\n",
		     "pi", 1);
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
			   ENTRY("reset_boundary", "b", "'a'", ""),
		   "omp", 3);
	/* A line that is no entry tells nothing. */
	check_turn(HEADER "{'type':'reset_boundary'}\n", "pi", 1);
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
	check_tentative();
	check_loose();
	check_foreign();
	/* An agent begins; a program's output only began like a session. */
	check_grown(USER("a", "null", "x"), 0, true);
	check_grown("{'type':'agent_start'}\n", -EROFS, false);
	check_limits();
	check_turns();
	check_forced();
	check_names();
	return test_done("dialect");
}
