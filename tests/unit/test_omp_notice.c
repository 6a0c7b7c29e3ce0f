#include "core/dialects/omp/omp.h"

#include "tests/unit/test.h"
#include "tests/unit/unlisted.h"

/*
 * Each row has been held against pi-coding-agent 18.3.4, tools/output-meta.ts,
 * formatOutputNotice(). ' stands for ".
 */
static const struct {
	const char *meta;
	const char *notice;
} rows[] = {
	{ "null", "" },
	{ "5", "" },
	{ "{}", "" },
	{ "{'truncation':null,'limits':null}", "" },
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
	{ "{'truncation':{'truncatedBy':'lines','totalLines':2,'outputLines':1,"
	  "'artifactId':'3'},'source':{'type':'report','value':'all'},"
	  "'artifactError':'write','limits':{'columnTruncated':{"
	  "'maxColumn':512,'unit':'bytes','artifactId':7}}}",
	  "\n\n[Showing 1 of 2 lines. Read artifact://3 for full report "
	  "(all). Full output was not saved completely (artifact write "
	  "failed). Some lines truncated to 512 bytes. Read artifact://7 for "
	  "full output]" },
	{ "{'source':{'type':'report'},'artifactError':'','limits':{"
	  "'columnTruncated':{'maxColumn':1,'unit':null,'artifactId':null}}}",
	  "\n\n[Some lines truncated to 1 chars]" },
	/* Ties of tenths go up, whatever their double is. */
	{ "{'truncation':{'truncatedBy':'bytes','maxBytes':1280,"
	  "'totalLines':1,'outputLines':1}}",
	  "\n\n[Showing 1 of 1 lines (1.3KB limit)]" },
};

static void check_notices(void)
{
	struct buf b = { 0 };
	const struct dialect *omp = dialect_named(SPAN("omp"));
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct buf text = test_quoted(rows[i].meta);
		struct json meta;
		test_row = rows[i].meta;
		CHECK_INT(json_check(buf_span(&text), &meta), 0);
		omp_notice_add(&b, meta);
		buf_adds(&text, "bashExecution");
		CHECK_SPAN(unlisted_run(omp, buf_span(&text), buf_span(&b)),
			   SPAN(""));
		CHECK_BUF(&b, rows[i].notice);
		buf_free(&text);
	}
	test_row = NULL;
	buf_free(&b);
}

int main(void)
{
	check_notices();
	return test_done("omp_notice");
}
