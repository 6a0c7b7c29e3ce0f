#include "core/dialects/omp/omp.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "tests/unit/tables.h"

/* Rows have been held against snapcompact 18.2.11, historyBlocks(). */

#define FRAME(data)                                                    \
	"{'data':'" data "','mimeType':'image/png','cols':1,'rows':2," \
	"'chars':3,'font':'8x8'}"
#define IMAGE(data) "{'type':'image','data':'" data "','mimeType':'image/png'}"
#define TEXT(text) "{'type':'text','text':'" text "'}"
#define NONE           \
	"blob:sha256:" \
	"0000000000000000000000000000000000000000000000000000000000000000"

TEST(put_blob)
{
	test_need(mkdir(test_path("blobs"), 0755) == 0, "blobs");
	test_put(test_path("blobs/"
			   "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
			   "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"),
		 0, SPAN("\0a"));
	setenv("PI_CODING_AGENT_DIR", test_path(""), 1);
}

TABLE(check_url, "omp_archive/urls")
{
	omp_add_without_data_urls(made, row_field(r, 0));
}

/* What an archive gives. */
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
	buf_free(&text);
}

TABLE(check_archive, "omp_archive/archives")
{
	add_archive(made, row_field(r, 0));
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
TEST(check_budget)
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
	struct buf start = test_quoted("[" TEXT(
		"H\\n-------------- imaged "
		"middle below\\n") "," OMITTED("2 archived image frames",
					       "2.5 MB"));
	struct buf end = test_quoted(
		IMAGE("QQ==") "," TEXT("-------------- 1 archived image frame "
				       "unavailable here --------------") "]");
	CHECK(span_starts(buf_span(&b), buf_span(&start)));
	CHECK(span_ends(buf_span(&b), buf_span(&end)));
	CHECK(b.len > 2900000 && b.len < 2901000);
	buf_free(&start);
	buf_free(&end);
	buf_free(&frame);
	buf_free(&text);
	buf_free(&b);
}

RUN_TESTS("omp_archive")
