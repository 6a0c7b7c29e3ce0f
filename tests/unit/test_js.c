#include "core/base/text.h"
#include "core/json/js.h"
#include "core/json/writer.h"
#include "tests/unit/tables.h"

static struct json parse(const char *text)
{
	struct json v = { 0 };
	CHECK_INT(json_check(span_of(text), &v), 0);
	return v;
}

/* JSON.stringify(JSON.parse(text)), and `${JSON.parse(text)}`, by Node. */
TABLE(check_number, "js/numbers")
{
	js_stringify(made, row_json(r, 0), 0);
	CHECK_SPAN(buf_span(made), row_field(r, 1));
	buf_clear(made);
	js_to_string(made, row_json(r, 0));
}

TABLE(check_compact, "js/stringify")
{
	js_stringify(made, row_json(r, 0), 0);
}

TABLE(check_string, "js/strings")
{
	js_to_string(made, row_json(r, 0));
}

/* The fewest digits that read back as the same number. */
TEST(check_random_numbers)
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

TEST(check_stringify)
{
	struct buf b = { 0 };
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

TEST(check_depth)
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

TEST(check_to_string)
{
	struct buf b = { 0 };
	js_to_string(&b, (struct json){ 0 });
	CHECK_BUF(&b, "undefined");
	js_to_string(&b, parse("\"a\\u0000b\""));
	CHECK_SPAN(buf_span(&b), SPAN("a\0b"));
	buf_free(&b);
}

TEST(check_members)
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
TEST(check_quote)
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

RUN_TESTS("js")
