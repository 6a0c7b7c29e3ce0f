#include "core/base/text.h"
#include "tests/unit/tables.h"

/* One U+FFFD for each maximal subpart (Unicode, section 3.9; TextDecoder). */
TABLE(check_utf8, "text/utf8")
{
	text_add_utf8(made, row_field(r, 0));
	CHECK_INT(text_is_utf8(row_field(r, 0)),
		  span_eq(row_field(r, 0), row_field(r, 1)));
}

/* What stands before `from` is another's. */
TABLE(check_finish, "text/finish")
{
	struct buf behind = { 0 };
	buf_adds(&behind, "\xED\xA0\xBD");
	buf_add(&behind, row_field(r, 0));
	text_finish(&behind, 3);
	buf_add(made, (struct span){ behind.data + 3, behind.len - 3 });
	CHECK(span_starts(buf_span(&behind), SPAN("\xED\xA0\xBD")));
	buf_free(&behind);
}

TABLE(check_trim, "text/trim")
{
	buf_add(made, text_trim(row_field(r, 0)));
}

TEST(check_trim_end)
{
	CHECK_SPAN(text_trim_end(SPAN(" a\xEF\xBB\xBF\t")), SPAN(" a"));
	CHECK_SPAN(text_trim_end(SPAN(" \t")), SPAN(""));
}

TABLE(check_shell_word, "text/shell-word")
{
	text_add_shell_word(made, row_field(r, 0));
}

TEST(check_random_bytes)
{
	static const unsigned char bytes[] = { 'a',  0x80, 0x9F, 0xA0, 0xBF,
					       0xC2, 0xE0, 0xED, 0xEF, 0xF0,
					       0xF4, 0xF5, 0xFF, 0x00 };
	struct buf once = { 0 };
	struct buf twice = { 0 };
	for (int i = 0; i < 5000; i++) {
		char in[10];
		size_t n = test_random() % (sizeof(in) + 1);
		for (size_t k = 0; k < n; k++)
			in[k] = (char)bytes[test_random() % sizeof(bytes)];
		struct span s = { in, n };
		buf_clear(&once);
		buf_clear(&twice);
		text_add_utf8(&once, s);
		CHECK(text_is_utf8(buf_span(&once)));
		CHECK(!text_is_utf8(s) || span_eq(buf_span(&once), s));
		text_add_utf8(&twice, buf_span(&once));
		CHECK_SPAN(buf_span(&twice), buf_span(&once));
		text_finish(&twice, 0);
		CHECK_SPAN(buf_span(&twice), buf_span(&once));
	}
	buf_free(&once);
	buf_free(&twice);
}

/* Every code point, a half included, there and back. */
TEST(check_code_points)
{
	struct buf b = { 0 };
	unsigned wrong = 0;
	for (uint32_t cp = 0; cp <= 0x10FFFF; cp++) {
		size_t len = 0;
		bool half = cp >= 0xD800 && cp < 0xE000;
		buf_clear(&b);
		text_add_code_point(&b, cp);
		wrong += text_code_point(buf_span(&b), &len) != cp;
		wrong += len != b.len;
		wrong += text_is_utf8(buf_span(&b)) == half;
	}
	CHECK_INT(wrong, 0);
	buf_free(&b);
}

TEST(check_one_line)
{
	struct buf b = { 0 };
	text_add_one_line(&b, SPAN("a\nb\tc\rd\0e\x1B\x7F \xC3\xA4\\n"));
	CHECK_BUF(&b, "a\\nb\\tc\\u000dd\\u0000e\\u001b\\u007f \xC3\xA4\\n");
	text_add_one_line(&b, SPAN(""));
	CHECK_INT(b.len, 0);
	buf_free(&b);
}

TEST(check_js_length)
{
	CHECK_INT(text_js_length(SPAN("")), 0);
	CHECK_INT(text_js_length(SPAN("a\0b")), 3);
	CHECK_INT(text_js_length(SPAN("\xC3\xA4\xE2\x82\xAC")), 2);
	CHECK_INT(text_js_length(SPAN("\xF0\x9F\x98\x80!")), 3);
	CHECK_INT(text_js_length(SPAN("\xED\xA0\xBD")), 1);
}

RUN_TESTS("text")
