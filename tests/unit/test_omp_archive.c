#include "core/dialects/omp/omp.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "tests/unit/test.h"

/*
 * Rows have been held against snapcompact 18.2.11, historyBlocks(). ' stands
 * for ".
 */
static const struct {
	const char *text;
	const char *without;
} urls[] = {
	{ "a", "a" },
	{ "data:image/png;base64,QUJD",
	  "[data URL omitted: image/png, 4 base64 chars]" },
	{ "x DATA:a/b;c=d;BASE64, y", "x [data URL omitted: a/b;c=d, 0 base64 "
				      "chars] y" },
	{ "![l[a]b](data:a/b;base64,QQ==) z",
	  "![l[a]b]([data URL omitted: a/b, 4 base64 chars]) z" },
	{ "![label]( data:a/b;base64,QQ== ) z",
	  "[data URL omitted: a/b, 4 base64 chars] z" },
	{ "[a[b](data:a/b;base64,QQ)",
	  "[data URL omitted: a/b, 2 base64 chars]" },
	{ "[l](data:a/b;base64,QQ z",
	  "[l]([data URL omitted: a/b, 2 base64 chars] z" },
	{ "[l\n](data:a/b;base64,QQ)",
	  "[l\n]([data URL omitted: a/b, 2 base64 chars])" },
	{ "data:a/b;base64,QU[\xE2\x80\xA6"
	  "100ch elided\xE2\x80\xA6] JD=",
	  "[data URL omitted: a/b, 105 base64 chars]" },
	{ "data:a/b;base64,QU [...7CH Elided...]",
	  "[data URL omitted: a/b, 21 base64 chars]" },
	{ "data:a;base64,QQ data:a/b;base64QQ data:/b;base64,",
	  "data:a;base64,QQ data:a/b;base64QQ data:/b;base64," },
	{ "data:a/b;x=;base64,QQ", "data:a/b;x=;base64,QQ" },
	{ "data:data:a/b;base64,QQ",
	  "data:[data URL omitted: a/b, 2 base64 chars]" },
};

#define FRAME(data)                                                    \
	"{'data':'" data "','mimeType':'image/png','cols':1,'rows':2," \
	"'chars':3,'font':'8x8'}"
#define IMAGE(data) "{'type':'image','data':'" data "','mimeType':'image/png'}"
#define TEXT(text) "{'type':'text','text':'" text "'}"
#define BLOB           \
	"blob:sha256:" \
	"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define NONE           \
	"blob:sha256:" \
	"0000000000000000000000000000000000000000000000000000000000000000"

static const struct {
	const char *archive;
	const char *blocks;
} archives[] = {
	{ "null", "" },
	{ "{'frames':[],'text':'T'}", "" },
	{ "{'textHead':'H\\u2588\\u000ei'}", TEXT("H\\ni") },
	{ "{'textTail':'T'}", TEXT("T") },
	{ "{'textHead':'H','textTail':'T','truncatedChars':5}",
	  TEXT("H\\n-------------- middle history omitted above\\nT") },
	{ "{'frames':[" FRAME("QQ==") "],'textHead':'H','textTail':'T'}",
	  TEXT("H\\n-------------- imaged middle below\\n") "," IMAGE(
		  "QQ==") "," TEXT("-------------- imaged middle above\\nT") },
	{ "{'frames':[5,null,{'data':'QQ=='}," FRAME("") "," FRAME("QQ==") "]}",
	  IMAGE("QQ==") },
	{ "{'frames':[{'data':'QQ==','mimeType':'image/png','cols':1,"
	  "'rows':2,'chars':3,'detail':'high'}]}",
	  "{'type':'image','data':'QQ==','mimeType':'image/png',"
	  "'detail':'high'}" },
	/* Blobs, and pictures whose blobs are missing. */
	{ "{'frames':[" FRAME(BLOB) "]}", IMAGE("AGE=") },
	{ "{'frames':[" FRAME("QQ==") "," FRAME(NONE) "," FRAME(
		  "blob:sha256:x") "," FRAME("QQ==") "," FRAME(NONE) "],"
								     "'textTail"
								     "':'T'}",
	  IMAGE("QQ==") "," TEXT(
		  "-------------- 2 archived image frames unavailable here "
		  "--------------") "," IMAGE("QQ==") "," TEXT("-------------- "
							       "1 archived "
							       "image frame "
							       "unavailable "
							       "here "
							       "---------------"
							       "------------- "
							       "imaged middle "
							       "above\\nT") },
	{ "{'frames':[" FRAME(NONE) "],'textHead':'H','textTail':'T'}",
	  TEXT("H") "," TEXT(
		  "-------------- 1 archived image frame unavailable here "
		  "--------------\\n-------------- middle history omitted "
		  "above\\nT") },
};

static void check_urls(void)
{
	struct buf b = { 0 };
	for (size_t i = 0; i < COUNT(urls); i++) {
		test_row = urls[i].text;
		omp_add_without_data_urls(&b, span_of(urls[i].text));
		CHECK_BUF(&b, urls[i].without);
	}
	test_row = NULL;
	buf_free(&b);
}

/* What an archive gives, with ' for ". */
static void add_archive(struct buf *out, struct span archive)
{
	struct buf text = { 0 };
	struct json v;
	buf_adds(&text, "{\"snapcompact\":");
	buf_add(&text, archive);
	buf_addc(&text, '}');
	CHECK_INT(json_check(buf_span(&text), &v), 0);
	struct json_writer w = { .out = out };
	omp_archive_write(&w, NULL, json_get(v, "snapcompact"));
	CHECK(out->len == 0 || json_check(buf_span(out), &v) == 0);
	for (size_t i = 0; i < out->len; i++) {
		if (out->data[i] == '"')
			out->data[i] = '\'';
	}
	buf_free(&text);
}

static void check_archives(void)
{
	struct buf b = { 0 };
	struct buf want = { 0 };
	for (size_t i = 0; i < COUNT(archives); i++) {
		struct buf text = test_quoted(archives[i].archive);
		test_row = archives[i].archive;
		add_archive(&b, buf_span(&text));
		if (*archives[i].blocks)
			buf_addf(&want, "[%s]", archives[i].blocks);
		CHECK_BUF(&b, buf_cstr(&want));
		buf_clear(&want);
		buf_free(&text);
	}
	test_row = NULL;
	buf_free(&b);
	buf_free(&want);
}

static void add_large_frame(struct buf *out, size_t n)
{
	buf_adds(out, "{\"mimeType\":\"m\",\"cols\":1,\"rows\":1,\"chars\":1,"
		      "\"data\":\"");
	buf_fill(out, 'A', n);
	buf_adds(out, "\"}");
}

#define OMITTED(count, size)                                                  \
	TEXT("-------------- snapcompact image middle omitted\\n" count       \
	     " could not be included. " size " of base64 exceeded the "       \
	     "per-request snapcompact payload budget. The compacted summary " \
	     "and visible text edges remain available.\\n--------------")

/* Three megabytes go into a request, the newest pictures first. */
static void check_budget(void)
{
	struct buf text = { 0 };
	struct buf b = { 0 };
	struct buf frame = test_quoted(
		"," FRAME("QQ==") "," FRAME(NONE) "],'textHead':'H'}");
	buf_adds(&text, "{\"frames\":[");
	add_large_frame(&text, 1300000);
	buf_addc(&text, ',');
	add_large_frame(&text, 1200000);
	buf_addc(&text, ',');
	add_large_frame(&text, 2000000);
	buf_adds(&text, ",");
	add_large_frame(&text, 900000);
	buf_add(&text, buf_span(&frame));
	add_archive(&b, buf_span(&text));
	CHECK(span_starts(
		buf_span(&b),
		SPAN("[" TEXT("H\\n-------------- imaged middle "
			      "below\\n") "," OMITTED("2 archived image frames",
						      "2.5 MB"))));
	CHECK(span_ends(buf_span(&b),
			SPAN(IMAGE("QQ==") "," TEXT(
				"-------------- 1 archived image frame "
				"unavailable here --------------") "]")));
	CHECK(b.len > 2900000 && b.len < 2901000);
	buf_free(&frame);
	buf_free(&text);
	buf_free(&b);
}

static void put_blob(void)
{
	test_need(mkdir(test_path("blobs"), 0755) == 0, "blobs");
	test_put(test_path("blobs/"
			   "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
			   "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"),
		 0, SPAN("\0a"));
	setenv("PI_CODING_AGENT_DIR", test_path(""), 1);
}

int main(void)
{
	put_blob();
	check_urls();
	check_archives();
	check_budget();
	return test_done("omp_archive");
}
