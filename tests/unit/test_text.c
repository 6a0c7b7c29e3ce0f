#include "core/base/text.h"
#include "tests/unit/test.h"

#define R "\xEF\xBF\xBD"

/* One U+FFFD for each maximal subpart (Unicode, section 3.9; TextDecoder). */
static void check_utf8(void)
{
	static const struct {
		struct span bytes;
		const char *text;
	} rows[] = {
		{ SPAN(""), "" },
		{ SPAN("abc"), "abc" },
		{ SPAN("\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80"),
		  "\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80" },
		{ SPAN("\xF4\x8F\xBF\xBF\xED\x9F\xBF\xEE\x80\x80"),
		  "\xF4\x8F\xBF\xBF\xED\x9F\xBF\xEE\x80\x80" },
		{ SPAN("\x80"), R },
		{ SPAN("\xFF\xFE"), R R },
		{ SPAN("\xC0\xAF\xE0\x80\xBF\xF0\x81\x82z"),
		  R R R R R R R R "z" },
		{ SPAN("\xED\xA0\x80\xED\xBF\xBF\xED\xAFz"),
		  R R R R R R R R "z" },
		{ SPAN("\xF4\x91\x92\x93\xFFz\x80\xBFy"),
		  R R R R R "z" R R "y" },
		{ SPAN("\xE1\x80\xE2\xF0\x91\x92\xF1\xBFz"), R R R R "z" },
		{ SPAN("\xC3"), R },
		{ SPAN("\xE2\x82"), R },
		{ SPAN("\xF0\x9F\x98"), R },
		{ SPAN("\xF0\x9F\x98\xF0\x9F\x98\x80"), R "\xF0\x9F\x98\x80" },
		{ SPAN("\xC3\xC3\xA4"), R "\xC3\xA4" },
		{ SPAN("\xF5\x80\x80\x80"), R R R R },
	};
	struct buf b = { 0 };
	for (size_t i = 0; i < COUNT(rows); i++) {
		test_row = rows[i].text;
		text_add_utf8(&b, rows[i].bytes);
		CHECK_SPAN(buf_span(&b), span_of(rows[i].text));
		CHECK_INT(text_is_utf8(rows[i].bytes),
			  span_eq(rows[i].bytes, span_of(rows[i].text)));
		buf_clear(&b);
	}
	test_row = NULL;
	text_add_utf8(&b, SPAN("a\0b"));
	CHECK_SPAN(buf_span(&b), SPAN("a\0b"));
	buf_free(&b);
}

static void check_random_bytes(void)
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
static void check_code_points(void)
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

static void check_finish(void)
{
	static const struct {
		const char *wtf8;
		const char *utf8;
	} rows[] = {
		{ "", "" },
		{ "\xC3\xA4\xED\x9F\xBF", "\xC3\xA4\xED\x9F\xBF" },
		{ "\xED\xA0\xBD\xED\xB8\x80", "\xF0\x9F\x98\x80" },
		{ "\xED\xA0\x80\xED\xB0\x80", "\xF0\x90\x80\x80" },
		{ "\xED\xAF\xBF\xED\xBF\xBF", "\xF4\x8F\xBF\xBF" },
		{ "a\xED\xA0\xBD", "a" R },
		{ "\xED\xB8\x80z", R "z" },
		{ "\xED\xB8\x80\xED\xA0\xBD", R R },
		{ "\xED\xA0\xBD\xED\xA0\xBD\xED\xB8\x80",
		  R "\xF0\x9F\x98\x80" },
		{ "\xED\xA0\xBD\xED\xB8\x80\xED\xB8\x80",
		  "\xF0\x9F\x98\x80" R },
		{ "\xED\xA0\xBD-\xED\xB8\x80", R "-" R },
	};
	struct buf b = { 0 };
	for (size_t i = 0; i < COUNT(rows); i++) {
		test_row = rows[i].utf8;
		buf_adds(&b, rows[i].wtf8);
		text_finish(&b, 0);
		CHECK_BUF(&b, rows[i].utf8);
	}
	test_row = NULL;
	/* What stands before `from` is another's. */
	buf_adds(&b, "\xED\xA0\xBD\xED\xB8\x80");
	text_finish(&b, 3);
	CHECK_BUF(&b, "\xED\xA0\xBD" R);
	text_finish(&b, 0);
	CHECK_INT(b.len, 0);
	buf_free(&b);
}

static void check_trim(void)
{
	static const struct {
		const char *in;
		const char *out;
	} rows[] = {
		{ "", "" },
		{ " \t\n\v\f\r ", "" },
		{ "  a b  ", "a b" },
		{ "\xC2\xA0"
		  "a\xC2\xA0",
		  "a" },
		{ "\xEF\xBB\xBF\xE2\x80\xA8x\xE3\x80\x80\xE1\x9A\x80", "x" },
		{ "\xE2\x80\x80\xE2\x80\x8A\xE2\x80\xA9\xE2\x80\xAF"
		  "\xE2\x81\x9Fy",
		  "y" },
		/* Zero-width space, Mongolian separator, NEL: no white space.
		 */
		{ "\xE2\x80\x8B", "\xE2\x80\x8B" },
		{ "\xE1\xA0\x8E", "\xE1\xA0\x8E" },
		{ "\xC2\x85", "\xC2\x85" },
		{ "\x1C", "\x1C" },
		{ " \xED\xA0\xBD ", "\xED\xA0\xBD" },
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		test_row = rows[i].out;
		CHECK_SPAN(text_trim(span_of(rows[i].in)),
			   span_of(rows[i].out));
	}
	test_row = NULL;
	CHECK_SPAN(text_trim(SPAN(" \0 ")), SPAN("\0"));
}

static void check_shell_word(void)
{
	static const struct {
		const char *word;
		const char *want;
	} rows[] = {
		{ "/a-b/_1.jsonl", "/a-b/_1.jsonl" },
		{ "a b", "'a b'" },
		{ "it's", "'it'\\''s'" },
		{ "$x", "'$x'" },
		{ "~", "'~'" },
	};
	struct buf b = { 0 };
	for (size_t i = 0; i < COUNT(rows); i++) {
		buf_reset(&b);
		text_add_shell_word(&b, span_of(rows[i].word));
		CHECK_BUF(&b, rows[i].want);
	}
	buf_free(&b);
}

static void check_one_line(void)
{
	struct buf b = { 0 };
	text_add_one_line(&b, SPAN("a\nb\tc\rd\0e\x1B\x7F \xC3\xA4\\n"));
	CHECK_BUF(&b, "a\\nb\\tc\\u000dd\\u0000e\\u001b\\u007f \xC3\xA4\\n");
	text_add_one_line(&b, SPAN(""));
	CHECK_INT(b.len, 0);
	buf_free(&b);
}

static void check_js_length(void)
{
	CHECK_INT(text_js_length(SPAN("")), 0);
	CHECK_INT(text_js_length(SPAN("a\0b")), 3);
	CHECK_INT(text_js_length(SPAN("\xC3\xA4\xE2\x82\xAC")), 2);
	CHECK_INT(text_js_length(SPAN("\xF0\x9F\x98\x80!")), 3);
	CHECK_INT(text_js_length(SPAN("\xED\xA0\xBD")), 1);
}

int main(void)
{
	check_utf8();
	check_random_bytes();
	check_code_points();
	check_finish();
	check_trim();
	check_js_length();
	check_one_line();
	check_shell_word();
	return test_done("text");
}
