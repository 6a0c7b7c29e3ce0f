/* Rows are in the corpus, row-*. */
#include "core/catalogue/summary.h"

#include "core/base/text.h"
#include "core/json/timestamp.h"
#include "tests/unit/test.h"

/* The line of a session with the path "p". */
static struct buf line_of(const char *text)
{
	struct session *s = test_session(text);
	struct summary m = { 0 };
	struct buf line = { 0 };
	CHECK_INT(summary_make(s, &m), 0);
	summary_add_line(&m, SPAN("p"), &line);
	summary_free(&m);
	test_close(s);
	return line;
}

/* A hundred columns at most, whole characters. */
TEST(check_cut)
{
	struct buf text = { 0 };
	buf_adds(&text, HEADER "{'type':'message','id':'a','parentId':null,"
			       "'message':{'role':'user','content':'");
	for (int i = 0; i < 1000; i++)
		buf_adds(&text, "é ");
	buf_adds(&text, "'}}\n");
	struct buf line = line_of(buf_cstr(&text));
	CHECK(line.len < 300 && text_is_utf8(buf_span(&line)));
	buf_free(&text);
	buf_free(&line);
}

/* Of bytes that are no summary's none is read. */
TEST(check_cut_bytes)
{
	struct session *s = test_session(HEADER USER("a", "null", "one"));
	struct summary m = { 0 };
	struct summary again;
	CHECK_INT(summary_make(s, &m), 0);
	size_t most = m.packed.len - m.row.n;
	for (size_t n = 0; n <= most; n++) {
		struct span cut = { m.packed.data, n };
		CHECK(!summary_unpack(NULL, cut, &again));
	}
	/* Of each byte before the row: lengths that are too large, and so on.
	 */
	for (size_t i = 0; i < most; i++) {
		m.packed.data[i] ^= '\x55';
		if (summary_unpack(NULL, buf_span(&m.packed), &again))
			summary_free(&again);
		m.packed.data[i] ^= '\x55';
	}
	summary_free(&m);
	test_close(s);
}

TEST(check_order)
{
	const struct summary newer = { .time = 2 };
	const struct summary older = { .time = 1 };
	const struct summary never = { .time = TIMESTAMP_NONE };
	CHECK(summary_compare(&newer, SPAN("b"), &older, SPAN("a")) < 0);
	CHECK(summary_compare(&never, SPAN("a"), &older, SPAN("b")) > 0);
	CHECK(summary_compare(&older, SPAN("a"), &older, SPAN("ab")) < 0);
	CHECK(summary_compare(&older, SPAN("b"), &older, SPAN("ab")) > 0);
	CHECK_INT(summary_compare(&older, SPAN("a"), &older, SPAN("a")), 0);
}

RUN_TESTS("summary")
