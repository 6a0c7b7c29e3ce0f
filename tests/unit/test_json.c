#include <math.h>

#include "core/base/text.h"
#include "core/json/json.h"
#include "tests/unit/tables.h"

static struct json parse(struct span text)
{
	struct json v = { 0 };
	CHECK_INT(json_check(text, &v), 0);
	return v;
}

static struct json parse_string(const char *text)
{
	test_row = text;
	return parse(span_of(text));
}

static void check_grammar(struct row *r, struct buf *made)
{
	struct json v;
	int err = json_check(row_field(r, 0), &v);
	buf_adds(made, err == -EBADMSG ? "-" : err ? "?" : "json");
}

static void check_space(void)
{
	struct json v = parse(SPAN(" \r\n {\"a\": 1 } \t"));
	CHECK_SPAN(v.raw, SPAN("{\"a\": 1 }"));
}

static void check_depth(void)
{
	enum { DEPTH = 100000 };
	struct buf b = { 0 };
	struct json v;
	for (int i = 0; i < DEPTH; i++)
		buf_adds(&b, i % 3 ? "[" : "{\"k\":");
	buf_addc(&b, '1');
	for (int i = DEPTH - 1; i >= 0; i--)
		buf_addc(&b, i % 3 ? ']' : '}');
	CHECK_INT(json_check(buf_span(&b), &v), 0);

	int levels = 0;
	for (; json_type(v) != JSON_NUMBER && levels <= DEPTH; levels++) {
		struct json_walk w = json_walk(v);
		struct json next = json_get(v, "k");
		if (json_type(v) == JSON_ARRAY && !json_next_element(&w, &next))
			break;
		v = next;
		if (levels == 100)
			break; /* each step costs what is left */
	}
	CHECK_INT(levels, 100);

	b.len--;
	CHECK_INT(json_check(buf_span(&b), &v), -EBADMSG);
	buf_addc(&b, '}');
	buf_addc(&b, ']');
	CHECK_INT(json_check(buf_span(&b), &v), -EBADMSG);
	/* The wrong bracket in the middle. */
	b.len -= 1;
	CHECK_INT(json_check(buf_span(&b), &v), 0);
	b.data[b.len - DEPTH / 2] ^= '}' ^ ']';
	CHECK_INT(json_check(buf_span(&b), &v), -EBADMSG);
	buf_free(&b);
}

static void check_types(void)
{
	static const struct {
		const char *text;
		enum json_type type;
		bool truthy;
	} rows[] = {
		{ "null", JSON_NULL, false },
		{ "false", JSON_FALSE, false },
		{ "true", JSON_TRUE, true },
		{ "0", JSON_NUMBER, false },
		{ "-0", JSON_NUMBER, false },
		{ "0.0e5", JSON_NUMBER, false },
		{ "1e-400", JSON_NUMBER, false },
		{ "1e400", JSON_NUMBER, true },
		{ "-1", JSON_NUMBER, true },
		{ "\"\"", JSON_STRING, false },
		{ "\"0\"", JSON_STRING, true },
		{ "\"\\u0000\"", JSON_STRING, true },
		{ "[]", JSON_ARRAY, true },
		{ "{}", JSON_OBJECT, true },
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct json v = parse_string(rows[i].text);
		CHECK_INT(json_type(v), rows[i].type);
		CHECK_INT(json_truthy(v), rows[i].truthy);
		CHECK_INT(isnan(json_number(v)) == 0,
			  rows[i].type == JSON_NUMBER);
	}
	test_row = NULL;
	struct json absent = { 0 };
	CHECK_INT(json_type(absent), JSON_ABSENT);
	CHECK(!json_truthy(absent));
	CHECK_INT(json_type(json_get(absent, "a")), JSON_ABSENT);
}

static void check_numbers(void)
{
	static const struct {
		const char *text;
		double value;
	} rows[] = {
		{ "0", 0 },
		{ "-12.5e2", -1250 },
		{ "5e-324", 5e-324 },
		{ "1e400", HUGE_VAL },
		{ "-1e400", -HUGE_VAL },
		{ "0.1", 0.1 },
		{ "123456789012345", 123456789012345.0 },
		{ "1234567890123456", 1234567890123456.0 },
		{ "0.12345678901234", 0.12345678901234 },
		{ "0.30000000000000004", 0.30000000000000004 },
		{ "1.7976931348623", 1.7976931348623 },
		{ "0.00001234567890", 0.00001234567890 },
		{ "2.5E3", 2500 },
		{ "9007199254740993", 9007199254740992.0 },
		{ "0.00000000000000000000000000000000000000000000000000000"
		  "00000000000000000000000000000000000000000000000000001",
		  1e-106 },
	};
	for (size_t i = 0; i < COUNT(rows); i++)
		CHECK(json_number(parse_string(rows[i].text)) == rows[i].value);
	test_row = NULL;
}

static void check_decode(struct row *r, struct buf *made)
{
	json_decode(made, row_json(r, 0));
	CHECK_SPAN(buf_span(made), row_field(r, 1));
	text_finish(made, 0);
}

static void check_is(struct row *r, struct buf *made)
{
	bool is = json_is(row_json(r, 0), row_field(r, 1));
	buf_adds(made, is ? "is" : "-");
}

static void check_paths(void)
{
	struct json v = parse(SPAN("{\"a\":{\"b\":{\"c\":1},\"x\":[{\"y\":2}]},"
				   "\"a.b\":3,\"\":{\"z\":4}}"));
	CHECK_SPAN(json_at(v, SPAN("a.b.c")).raw, SPAN("1"));
	CHECK_SPAN(json_at(v, SPAN("a.b")).raw, SPAN("{\"c\":1}"));
	CHECK_SPAN(json_at(v, SPAN(".z")).raw, SPAN("4"));
	CHECK_SPAN(json_at(v, SPAN("")).raw, v.raw);
	CHECK_INT(json_type(json_at(v, SPAN("a.x.y"))), JSON_ABSENT);
	CHECK_INT(json_type(json_at(v, SPAN("a.b.c.d"))), JSON_ABSENT);
	CHECK_INT(json_type(json_at(v, SPAN("none.b"))), JSON_ABSENT);
}

static void check_words(void)
{
	static const struct row {
		struct span word;
		int n;
	} rows[] = { { SPAN("one"), 1 }, { SPAN("two"), 2 } };
	struct json one = parse(SPAN("\"\\u006fne\""));
	struct json other = parse(SPAN("\"on\""));
	CHECK(JSON_IS(one, "two", "one"));
	CHECK(!JSON_IS(other, "two", "one"));
	CHECK(!JSON_IS(parse(SPAN("1")), "1"));
	CHECK(JSON_ROW(one, rows) == &rows[0]);
	CHECK(JSON_ROW(parse(SPAN("\"two\"")), rows) == &rows[1]);
	CHECK(!JSON_ROW(other, rows));
	CHECK(!JSON_ROW((struct json){ 0 }, rows));
}

static void check_members(void)
{
	struct json v = parse(SPAN("{ \"a\" : 1 , \"b\":[ \"}\" , {\"a\":9} ],"
				   "\"\\u0061\":2,\"a\\u0000z\":3,"
				   "\"q\\\"\\\\\":{\"x\":\"\\\\\"},\"\":4}"));
	CHECK_SPAN(json_get(v, "a").raw, SPAN("2"));
	CHECK_SPAN(json_get(v, "b").raw, SPAN("[ \"}\" , {\"a\":9} ]"));
	CHECK_SPAN(json_get(v, "q\"\\").raw, SPAN("{\"x\":\"\\\\\"}"));
	CHECK_SPAN(json_get(v, "").raw, SPAN("4"));
	CHECK_INT(json_type(json_get(v, "x")), JSON_ABSENT);
	CHECK_INT(json_type(json_get(json_get(v, "b"), "a")), JSON_ABSENT);

	static const char *const names[] = { "a", "none", "" };
	struct json f[3];
	json_get_all(v, 3, names, f);
	CHECK_SPAN(f[0].raw, SPAN("2"));
	CHECK_INT(json_type(f[1]), JSON_ABSENT);
	CHECK_SPAN(f[2].raw, SPAN("4"));

	JSON_FIELDS(g, v, a, none, b);
	CHECK_SPAN(g.a.raw, SPAN("2"));
	CHECK_INT(json_type(g.none), JSON_ABSENT);
	CHECK_SPAN(g.b.raw, SPAN("[ \"}\" , {\"a\":9} ]"));
	JSON_FIELDS(no_object, g.b, a);
	CHECK_INT(json_type(no_object.a), JSON_ABSENT);

	/* In file order, duplicates and all. */
	static const char *const values[] = {
		"1", "[ \"}\" , {\"a\":9} ]", "2", "3", "{\"x\":\"\\\\\"}", "4"
	};
	struct json_walk w = json_walk(v);
	struct json key;
	struct json val;
	size_t n = 0;
	for (; json_next_member(&w, &key, &val) && n < COUNT(values); n++)
		CHECK_SPAN(val.raw, span_of(values[n]));
	CHECK_INT(n, COUNT(values));

	w = json_walk(parse(SPAN("[ 1,\"a,]\" , [2,[]],null ]")));
	static const char *const elements[] = { "1", "\"a,]\"", "[2,[]]",
						"null" };
	for (n = 0; json_next_element(&w, &val) && n < COUNT(elements); n++)
		CHECK_SPAN(val.raw, span_of(elements[n]));
	CHECK_INT(n, COUNT(elements));
	w = json_walk(parse(SPAN("[ ]")));
	CHECK(!json_next_element(&w, &val));
	w = json_walk(parse(SPAN("{ }")));
	CHECK(!json_next_member(&w, &key, &val));
	w = json_walk(parse(SPAN("\"[1]\"")));
	CHECK(!json_next_element(&w, &val));
}

int main(void)
{
	rows_check("json/grammar", check_grammar);
	check_space();
	check_depth();
	check_types();
	check_numbers();
	rows_check("json/decode", check_decode);
	rows_check("json/is", check_is);
	CHECK(!json_is((struct json){ 0 }, SPAN("")));
	check_members();
	check_paths();
	check_words();
	return test_done("json");
}
