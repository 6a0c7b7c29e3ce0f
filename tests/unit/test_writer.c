#include "core/json/writer.h"
#include "tests/unit/tables.h"

static struct json parse(struct span text)
{
	struct json v = { 0 };
	test_need(json_check(text, &v) == 0, "JSON");
	return v;
}

static void check(struct buf *got, struct span want)
{
	CHECK_INT(buf_error(got), 0);
	CHECK_SPAN(buf_span(got), want);
	buf_free(got);
}

/* Every kind of value, as a member and as an element. */
TEST(check_values)
{
	struct buf out = { 0 };
	struct buf text = { 0 };
	struct buf json = { 0 };
	struct json_writer w = { .out = &out };
	buf_adds(&text, "a\"b");
	buf_adds(&json, "{ }");
	json_begin_object(&w, NULL);
	json_write_string(&w, "string", SPAN("x"));
	json_write_string_buf(&w, "buf", &text);
	json_write_word(&w, "word", "y");
	json_write_number(&w, "number", -1);
	json_write_bool(&w, "yes", true);
	json_write_bool(&w, "no", false);
	json_write_null(&w, "null");
	json_write_value(&w, "json", parse(SPAN(" [1 , 2] ")));
	json_write_value(&w, "absent", (struct json){ 0 });
	json_write_buf(&w, "copy", &json);
	json_begin_array(&w, "array");
	json_write_number(&w, NULL, 4294967295.0);
	json_begin_array(&w, NULL);
	json_end_array(&w);
	json_begin_object(&w, NULL);
	json_end_object(&w);
	json_write_elements(&w, parse(SPAN("[ 1, {\"a\" :2} ]")));
	json_write_elements(&w, parse(SPAN("{\"a\":2}")));
	json_end_array(&w);
	json_write_key(&w, SPAN("a key\n"));
	json_write_null(&w, NULL);
	buf_adds(json_begin_value(&w, "own"), "7");
	json_end_object(&w);
	check(&out,
	      SPAN("{\"string\":\"x\",\"buf\":\"a\\\"b\",\"word\":\"y\","
		   "\"number\":-1,\"yes\":true,\"no\":false,\"null\":null,"
		   "\"json\":[1 , 2],\"copy\":{ },"
		   "\"array\":[4294967295,[],{},1,{\"a\" :2}],"
		   "\"a key\\n\":null,\"own\":7}"));
	buf_free(&text);
	buf_free(&json);
}

/* Numbers up to the length that the header allows. */
TEST(check_numbers)
{
	static const struct {
		double n;
		struct span want;
	} rows[] = {
		{ 0, SPAN("0") },
		{ 2147483647, SPAN("2147483647") },
		{ 2147483648, SPAN("2147483648") },
		{ -2147483649, SPAN("-2147483649") },
		{ 1000000, SPAN("1000000") },
		{ 999999999999999, SPAN("999999999999999") },
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct buf out = { 0 };
		struct json_writer w = { .out = &out };
		json_write_number(&w, NULL, rows[i].n);
		check(&out, rows[i].want);
	}
}

TABLE(check_string, "writer")
{
	struct buf out = { 0 };
	struct json_writer w = { .out = &out };
	json_quote(&out, row_field(r, 0));
	check(&out, row_field(r, 1));
	json_write_string(&w, NULL, row_field(r, 0));
	check(&out, row_field(r, 1));
	w = (struct json_writer){ .out = made, .for_script = true };
	json_write_string(&w, NULL, row_field(r, 0));
}

/* Elements on lines of their own, and copied JSON that is no UTF-8. */
TEST(check_lines)
{
	struct buf out = { 0 };
	struct json_writer w = { .out = &out, .utf8 = true };
	struct json key = parse(SPAN("\"k\xFF\""));
	json_begin_array(&w, NULL);
	json_begin_line(&w);
	json_write_value(&w, NULL, parse(SPAN("\"\xFF\"")));
	json_begin_line(&w);
	json_begin_object(&w, NULL);
	json_write_member(&w, key, key);
	json_end_object(&w);
	json_end_array(&w);
	check(&out, SPAN("[\n\"\xEF\xBF\xBD\",\n{\"k\xEF\xBF\xBD\":"
			 "\"k\xEF\xBF\xBD\"}]"));
}

TEST(check_indent)
{
	struct buf out = { 0 };
	struct json_writer w = { .out = &out, .indent = 2 };
	json_begin_object(&w, NULL);
	json_begin_array(&w, "empty");
	json_end_array(&w);
	json_begin_array(&w, "list");
	json_write_number(&w, NULL, 1);
	json_begin_object(&w, NULL);
	json_write_key(&w, SPAN("a"));
	json_write_null(&w, NULL);
	json_end_object(&w);
	json_end_array(&w);
	json_end_object(&w);
	check(&out, SPAN("{\n  \"empty\": [],\n  \"list\": [\n    1,\n    {\n"
			 "      \"a\": null\n    }\n  ]\n}"));
}

/* A buf that has failed makes the one that is written to fail. */
TEST(check_failure)
{
	struct buf bad = { .failed = true };
	struct buf out = { 0 };
	struct json_writer w = { .out = &out };
	json_write_string_buf(&w, NULL, &bad);
	CHECK_INT(buf_error(&out), -ENOMEM);
	buf_free(&out);
	json_write_buf(&w, NULL, &bad);
	CHECK_INT(buf_error(&out), -ENOMEM);
	buf_free(&out);
}

static const struct {
	struct span object;
	struct span rewritten;
	struct span spliced;
} changed[] = {
	{ SPAN("{}"), SPAN("{\"a\":1,\"b\":[2]}"),
	  SPAN("{\"a\":1,\"b\":[2]}") },
	{ SPAN("{ }"), SPAN("{\"a\":1,\"b\":[2]}"),
	  SPAN("{ \"a\":1,\"b\":[2]}") },
	{ SPAN("{ \"b\" : 0 , \"c\" :0 }"), SPAN("{\"b\":[2],\"c\":0,\"a\":1}"),
	  SPAN("{ \"b\" : [2] , \"c\" :0 ,\"a\":1}") },
	{ SPAN("{\"a\":0,\"c\":{\"a\":0},\"\\u0061\":5}"),
	  SPAN("{\"a\":1,\"c\":{\"a\":0},\"b\":[2]}"),
	  SPAN("{\"a\":1,\"c\":{\"a\":0},\"\\u0061\":1,\"b\":[2]}") },
};

TEST(check_changes)
{
	static const struct json_change set[] = { { "a", SPAN("1") },
						  { "b", SPAN("[2]") } };
	static const struct json_change removed = { "a", { NULL, 0 } };
	struct buf out = { 0 };
	for (size_t i = 0; i < COUNT(changed); i++) {
		json_rewrite(&out, parse(changed[i].object), set, 2);
		check(&out, changed[i].rewritten);
		json_splice(&out, parse(changed[i].object), set, 2);
		check(&out, changed[i].spliced);
	}
	json_rewrite(&out, parse(SPAN("{\"a\":0,\"c\":1,\"a\":2}")), &removed,
		     1);
	check(&out, SPAN("{\"c\":1}"));
}

/* Copied JSON over several lines, after a line that stays one. */
TEST(check_joining)
{
	struct buf out = { 0 };
	buf_adds(&out, "[]\n");
	size_t from = out.len;
	buf_adds(&out, "{\n \"a\":\"x\\n\"\r\n}");
	json_join_lines(&out, from);
	json_join_lines(&out, out.len);
	check(&out, SPAN("[]\n{  \"a\":\"x\\n\"\r }"));
}

RUN_TESTS("writer")
