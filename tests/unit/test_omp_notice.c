#include "core/dialects/omp/notice.h"

#include "core/dialects/omp/diagnostics.h"
#include "tests/unit/test.h"

/*
 * Each row has been held against pi-coding-agent 18.2.0, tools/output-meta.ts,
 * formatOutputNotice(). ' stands for ".
 */
static const struct {
	const char *meta;
	const char *notice;
} rows[] = {
	{ "null", "" },
	{ "5", "" },
	{ "{}", "" },
	{ "{'truncation':null,'limits':null,'diagnostics':null}", "" },
	{ "{'truncation':{'direction':'tail','truncatedBy':'lines',"
	  "'totalLines':1200,'outputLines':1000,'totalBytes':1,'outputBytes':1,"
	  "'shownRange':{'start':201,'end':1200},'artifactId':'3'}}",
	  "\n\n[Showing lines 201-1200 of 1200. Read artifact://3 for full "
	  "output]" },
	{ "{'truncation':{'direction':'head','truncatedBy':'bytes',"
	  "'totalLines':12,'outputLines':10,'outputBytes':1250,"
	  "'nextOffset':11}}",
	  "\n\n[Showing 10 of 12 lines (1.2KB limit). Use :11 to continue]" },
	{ "{'truncation':{'truncatedBy':'bytes','maxBytes':51200,"
	  "'totalLines':1,'outputLines':1,'shownRange':{'start':2,'end':1}}}",
	  "\n\n[Showing 1 of 1 lines (50.0KB limit)]" },
	{ "{'truncation':{'partialLine':true,'outputBytes':1100,"
	  "'totalBytes':3145728,'totalLines':1,'nextOffset':5,"
	  "'artifactId':0}}",
	  "\n\n[Showing line 1 (partial, 1.1KB of 3.0MB) of 1. Read "
	  "artifact://0 for full output]" },
	{ "{'truncation':{'direction':'middle','totalLines':12345,"
	  "'outputLines':1000,'totalBytes':99999,'outputBytes':9999,"
	  "'headRange':{'start':1,'end':500},"
	  "'tailRange':{'start':11846,'end':12345}}}",
	  "\n\n[Showing lines 1-500 and 11846-12345 of 12345; 11,345 middle "
	  "lines (87.9KB) elided]" },
	{ "{'truncation':{'direction':'middle','totalLines':1,"
	  "'elidedBytes':100}}",
	  "\n\n[Showing head and tail bytes of 1 line; 100B elided]" },
	{ "{'truncation':{'direction':'middle','totalLines':3,"
	  "'outputLines':9}}",
	  "\n\n[Showing 3 of 3 lines; middle elided]" },
	{ "{'limits':{'matchLimit':{'reached':100,'suggestion':200},"
	  "'resultLimit':{'reached':1},'headLimit':{'suggestion':'x'},"
	  "'columnTruncated':{'maxColumn':512}}}",
	  "\n\n[100 matches limit reached. Use limit=200 for more. 1 results "
	  "limit reached. Use limit=undefined for more. undefined results "
	  "limit reached. Use limit=x for more. Some lines truncated to 512 "
	  "chars]" },
	{ "{'diagnostics':{'summary':'1 error(s)','messages':[]}}", "" },
	{ "{'diagnostics':{'summary':'1 error(s)','messages':['a',null,'b']}}",
	  "\n\nLSP Diagnostics (1 error(s)):\na\n\nb" },
	/* Ties of tenths go up, whatever their double is. */
	{ "{'truncation':{'truncatedBy':'bytes','maxBytes':1280,"
	  "'totalLines':1,'outputLines':1}}",
	  "\n\n[Showing 1 of 1 lines (1.3KB limit)]" },
};

static const struct {
	const char *messages;
	const char *text;
} groups[] = {
	{ "['a.c:1:2 x','a.c:3:4 y']", "# a.c\n  1:2 x\n  3:4 y" },
	{ "['src/a/x.c:1:1 e','src/a/y.c:1:1 f']",
	  "# src/a/\n## x.c\n  1:1 e\n## y.c\n  1:1 f" },
	{ "['src/b/c/x:1:1 e','src/y:1:1 f','z:1:1 g']",
	  "# z\n  1:1 g\n\n# src/\n## y\n  1:1 f\n\n## b/c/\n### x\n  1:1 e" },
	{ "['/abs/x:1:1 e','loose','/abs/x:2:2 f']",
	  "# /abs/\n## x\n  1:1 e\n  2:2 f\n\nloose" },
	{ "['a\\\\b.c:1:1 e']", "# a/\n## b.c\n  1:1 e" },
	{ "['http://h/p:1:1 e']", "# http://h/p\n  1:1 e" },
	{ "['a/:1:1 e','a:1:1 f']", "# a\n  1:1 e" },
	{ "['/:1:1 e','loose']", "\nloose" },
	{ "['a:1:1e','a:1: 1 e',':1:1 e','a:x:1:1 e']",
	  "# a:x\n  1:1 e\n\na:1:1e\na:1: 1 e\n:1:1 e" },
	{ "['a:1:1\\nb','a\\n:1:1 c','a:1:1 b\\nc']",
	  "# a\n  1:1\nb\n\na\n:1:1 c\na:1:1 b\nc" },
};

static void check_notices(void)
{
	struct buf b = { 0 };
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct buf text = test_quoted(rows[i].meta);
		struct json meta;
		test_row = rows[i].meta;
		CHECK_INT(json_check(buf_span(&text), &meta), 0);
		omp_notice_add(&b, meta);
		CHECK_BUF(&b, rows[i].notice);
		buf_free(&text);
	}
	test_row = NULL;
	buf_free(&b);
}

static void check_groups(void)
{
	struct buf b = { 0 };
	for (size_t i = 0; i < COUNT(groups); i++) {
		struct buf text = test_quoted(groups[i].messages);
		struct json messages;
		test_row = groups[i].messages;
		CHECK_INT(json_check(buf_span(&text), &messages), 0);
		omp_diagnostics_add(&b, messages);
		CHECK_BUF(&b, groups[i].text);
		buf_free(&text);
	}
	test_row = NULL;
	buf_free(&b);
}

/* A path of 100,000 folders, and files at several depths of it. */
static void check_deep(void)
{
	struct buf text = { 0 };
	struct buf b = { 0 };
	struct json messages;
	buf_adds(&text, "[\"");
	for (int i = 0; i < 100000; i++)
		buf_adds(&text, "d/");
	buf_adds(&text, "f:1:1 e\",\"d/d/g:1:1 e\"]");
	CHECK_INT(json_check(buf_span(&text), &messages), 0);
	omp_diagnostics_add(&b, messages);
	CHECK(span_starts(buf_span(&b),
			  SPAN("# d/d/\n## g\n  1:1 e\n\n## d/")));
	CHECK(b.len > 199000 && b.len < 201000);
	buf_free(&text);
	buf_free(&b);
}

int main(void)
{
	check_notices();
	check_groups();
	check_deep();
	return test_done("omp_notice");
}
