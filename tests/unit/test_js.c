#include "core/base/text.h"
#include "core/json/js.h"
#include "core/json/writer.h"
#include "tests/unit/test.h"

static struct json parse(const char *text)
{
	struct json v = { 0 };
	CHECK_INT(json_check(span_of(text), &v), 0);
	return v;
}

/* JSON.stringify(JSON.parse(text)), and `${JSON.parse(text)}`, by Node. */
static void check_numbers(void)
{
	static const struct {
		const char *text;
		const char *json;
		const char *string; /* NULL: the same */
	} rows[] = {
		{ "0", "0", NULL },
		{ "-0", "0", NULL },
		{ "-0.0", "0", NULL },
		{ "1.0", "1", NULL },
		{ "-1.50", "-1.5", NULL },
		{ "1e2", "100", NULL },
		{ "5E-1", "0.5", NULL },
		{ "0.1", "0.1", NULL },
		{ "4.35", "4.35", NULL },
		{ "0.30000000000000004", "0.30000000000000004", NULL },
		{ "123.456", "123.456", NULL },
		{ "4294967295", "4294967295", NULL },
		{ "9007199254740993", "9007199254740992", NULL },
		{ "1e16", "10000000000000000", NULL },
		{ "12345678901234567890", "12345678901234567000", NULL },
		{ "1e20", "100000000000000000000", NULL },
		{ "123456789012345680000", "123456789012345680000", NULL },
		{ "123456789012345678901", "123456789012345680000", NULL },
		{ "999999999999999900000", "999999999999999900000", NULL },
		{ "999999999999999999999", "1e+21", NULL },
		{ "1e21", "1e+21", NULL },
		{ "1.2e23", "1.2e+23", NULL },
		{ "1e-6", "0.000001", NULL },
		{ "0.00000123", "0.00000123", NULL },
		{ "1e-7", "1e-7", NULL },
		{ "-1.5e-7", "-1.5e-7", NULL },
		{ "9.5367431640625e-7", "9.5367431640625e-7", NULL },
		{ "4.9406564584124654e-324", "5e-324", NULL },
		{ "2.2250738585072014e-308", "2.2250738585072014e-308", NULL },
		{ "1.7976931348623157e308", "1.7976931348623157e+308", NULL },
		{ "1e-400", "0", NULL },
		{ "1e400", "null", "Infinity" },
		{ "-1e400", "null", "-Infinity" },
	};
	struct buf b = { 0 };
	for (size_t i = 0; i < COUNT(rows); i++) {
		test_row = rows[i].text;
		js_stringify(&b, parse(rows[i].text), 0);
		CHECK_BUF(&b, rows[i].json);
		js_to_string(&b, parse(rows[i].text));
		CHECK_BUF(&b, rows[i].string ? rows[i].string : rows[i].json);
	}
	test_row = NULL;
	buf_free(&b);
}

/* The fewest digits that read back as the same number. */
static void check_random_numbers(void)
{
	struct buf b = { 0 };
	for (int i = 0; i < 2000; i++) {
		union {
			uint64_t bits;
			double d;
		} u = { .bits = (uint64_t)test_random() << 32 | test_random() };
		char text[40];
		snprintf(text, sizeof(text), "%.17g", u.d);
		if (!strchr("-0123456789", text[0]) || strchr(text, 'n'))
			continue; /* nan, inf */
		js_stringify(&b, parse(text), 0);
		CHECK(buf_cstr(&b) && strtod(b.data, NULL) == u.d);
		buf_clear(&b);
	}
	buf_free(&b);
}

static void check_stringify(void)
{
	static const struct {
		const char *text;
		const char *compact;
	} rows[] = {
		{ " [ ] ", "[]" },
		{ "{ }", "{}" },
		{ "[1 , [ ] ,{ } , null,true,\"\"]",
		  "[1,[],{},null,true,\"\"]" },
		{ "{\"b\":1,\"a\":2}", "{\"b\":1,\"a\":2}" },
		/* Of equal keys the last value, at the place of the first. */
		{ "{\"a\":1,\"b\":2,\"\\u0061\":3}", "{\"a\":3,\"b\":2}" },
		{ "{\"1\":0,\"x\":1,\"1\":2}", "{\"1\":2,\"x\":1}" },
		{ "{\"\":1,\"\":2}", "{\"\":2}" },
		/* Array indexes first, ascending, at every level. */
		{ "{\"b\":0,\"10\":1,\"9\":2,\"a\":{\"z\":0,\"0\":1}}",
		  "{\"9\":2,\"10\":1,\"b\":0,\"a\":{\"0\":1,\"z\":0}}" },
		{ "{\"01\":0,\"-1\":1,\"1.5\":2,\"1e1\":3,\" 1\":4,\"\":5,"
		  "\"4294967295\":6,\"4294967294\":7,\"0\":8,"
		  "\"99999999999\":9}",
		  "{\"0\":8,\"4294967294\":7,\"01\":0,\"-1\":1,\"1.5\":2,"
		  "\"1e1\":3,\" 1\":4,\"\":5,\"4294967295\":6,"
		  "\"99999999999\":9}" },
		{ "\"\\u00e4\\/\\u2028\\u007f\"",
		  "\"\xC3\xA4/\xE2\x80\xA8\x7F\"" },
		{ "\"\\u0000\\u0008\\t\\n\\u000b\\f\\r\\u001f\\\\\\\"\"",
		  "\"\\u0000\\b\\t\\n\\u000b\\f\\r\\u001f\\\\\\\"\"" },
		{ "\"\\uD83D\\uDE00 \\uD83D \\uDE00\"",
		  "\"\xF0\x9F\x98\x80 \\ud83d \\ude00\"" },
		{ "{\"\\n\\ud83d\":\"\xFF\"}",
		  "{\"\\n\\ud83d\":\"\xEF\xBF\xBD\"}" },
	};
	struct buf b = { 0 };
	for (size_t i = 0; i < COUNT(rows); i++) {
		test_row = rows[i].text;
		js_stringify(&b, parse(rows[i].text), 0);
		CHECK_BUF(&b, rows[i].compact);
	}
	test_row = NULL;
	js_stringify(&b,
		     parse("{\"a\":[1,{\"b\":[]},[[]]],\"c\":{},\"2\":\"x\"}"),
		     2);
	CHECK_BUF(&b, "{\n"
		      "  \"2\": \"x\",\n"
		      "  \"a\": [\n"
		      "    1,\n"
		      "    {\n"
		      "      \"b\": []\n"
		      "    },\n"
		      "    [\n"
		      "      []\n"
		      "    ]\n"
		      "  ],\n"
		      "  \"c\": {}\n"
		      "}");
	buf_free(&b);
}

static void check_depth(void)
{
	enum { DEPTH = 100000 };
	struct buf in = { 0 };
	struct buf out = { 0 };
	struct json v;
	buf_fill(&in, '[', DEPTH);
	buf_fill(&in, ']', DEPTH);
	CHECK_INT(json_check(buf_span(&in), &v), 0);
	js_stringify(&out, v, 0);
	CHECK(span_eq(buf_span(&in), buf_span(&out)));
	buf_free(&in);
	buf_free(&out);
}

static void check_to_string(void)
{
	static const struct {
		const char *text;
		const char *string;
	} rows[] = {
		{ "\"a\\nb\"", "a\nb" },
		{ "\"\"", "" },
		{ "true", "true" },
		{ "false", "false" },
		{ "null", "null" },
		{ "{}", "[object Object]" },
		{ "{\"a\":1}", "[object Object]" },
		{ "[]", "" },
		{ "[1,\"a\",null]", "1,a," },
		{ "[[1,2],{\"a\":1}]", "1,2,[object Object]" },
		{ "\"\\ud83d\"", "\xED\xA0\xBD" },
	};
	struct buf b = { 0 };
	for (size_t i = 0; i < COUNT(rows); i++) {
		test_row = rows[i].text;
		js_to_string(&b, parse(rows[i].text));
		CHECK_BUF(&b, rows[i].string);
	}
	test_row = NULL;
	js_to_string(&b, (struct json){ 0 });
	CHECK_BUF(&b, "undefined");
	js_to_string(&b, parse("\"a\\u0000b\""));
	CHECK_SPAN(buf_span(&b), SPAN("a\0b"));
	buf_free(&b);
}

static void check_members(void)
{
	struct js_members m = { 0 };
	CHECK_INT(js_members_load(&m, parse("{\"b\":1,\"3\":2,\"a\\u0000\":3,"
					    "\"\":4,\"b\":5}")),
		  0);
	CHECK_INT(m.n, 4);
	static const struct {
		struct span key;
		const char *value;
	} want[] = { { SPAN("3"), "2" },
		     { SPAN("b"), "5" },
		     { SPAN("a\0"), "3" },
		     { SPAN(""), "4" } };
	for (size_t i = 0; i < m.n && i < COUNT(want); i++) {
		CHECK_SPAN(m.list[i].key, want[i].key);
		CHECK_SPAN(m.list[i].value.raw, span_of(want[i].value));
	}
	js_members_free(&m);

	CHECK_INT(js_members_load(&m, parse("[\"x\",[2]]")), 0);
	CHECK_INT(m.n, 2);
	if (m.n == 2) {
		CHECK_SPAN(m.list[0].key, SPAN("0"));
		CHECK_SPAN(m.list[1].key, SPAN("1"));
		CHECK_SPAN(m.list[1].value.raw, SPAN("[2]"));
	}
	js_members_free(&m);

	static const char *const none[] = { "{}", "[]", "5", "null", "\"ab\"" };
	for (size_t i = 0; i < COUNT(none); i++) {
		CHECK_INT(js_members_load(&m, parse(none[i])), 0);
		CHECK_INT(m.n, 0);
		js_members_free(&m);
	}
	CHECK_INT(js_members_load(&m, (struct json){ 0 }), 0);
	CHECK_INT(m.n, 0);
	js_members_free(&m);
}

/* json_quote() and json_decode() undo each other, whatever the string. */
static void check_quote(void)
{
	static const uint32_t points[] = { 0,	   8,	   '"',	   '\\',
					   'u',	   0x1F,   0x7F,   0xE9,
					   0x2028, 0xD83D, 0xDE00, 0xFFFD,
					   0x1F600 };
	struct buf text = { 0 };
	struct buf json = { 0 };
	struct buf back = { 0 };
	for (int i = 0; i < 2000; i++) {
		uint32_t last = 0;
		buf_clear(&text);
		buf_clear(&json);
		buf_clear(&back);
		for (uint32_t n = test_random() % 12; n > 0; n--) {
			uint32_t cp = points[test_random() % COUNT(points)];
			/* Halves side by side would be one character. */
			if (last == 0xD83D && cp == 0xDE00)
				continue;
			text_add_code_point(&text, cp);
			last = cp;
		}
		struct json v;
		json_quote(&json, buf_span(&text));
		CHECK(text_is_utf8(buf_span(&json)));
		CHECK_INT(json_check(buf_span(&json), &v), 0);
		json_decode(&back, v);
		CHECK_SPAN(buf_span(&back), buf_span(&text));
	}
	buf_clear(&json);
	json_quote(&json, SPAN("a\0\n\"\xED\xA0\xBDz"));
	CHECK_BUF(&json, "\"a\\u0000\\n\\\"\\ud83dz\"");
	buf_free(&text);
	buf_free(&json);
	buf_free(&back);
}

int main(void)
{
	check_numbers();
	check_random_numbers();
	check_stringify();
	check_depth();
	check_to_string();
	check_members();
	check_quote();
	return test_done("js");
}
