#include "core/json/flat.h"

#include "core/base/text.h"
#include "tests/unit/test.h"

/* JSON, with ' for ", and its lines. */
static const struct {
	const char *json;
	const char *text;
} rows[] = {
	{ "{}", "" },
	{ "[]", "" },
	{ "'text'", "" },
	{ "7", "" },
	{ "{'a':'b','n':1.50,'t':true,'f':false,'z':null,'e':''}",
	  "a: b\nn: 1.5\nt: true\nf: false\nz: null\ne:\n" },
	{ "{'path':'a.c','edits':[{'oldText':'x','newText':'y'},"
	  "{'oldText':'','newText':'1\\n\\n\\t2\\n'}],'last':1}",
	  "path: a.c\nedits[0].oldText: x\nedits[0].newText: y\n"
	  "edits[1].oldText:\nedits[1].newText:\n  1\n\n  \t2\nlast: 1\n" },
	{ "[1, ['a', [2]], {'k':3}]",
	  "[0]: 1\n[1][0]: a\n[1][1][0]: 2\n[2].k: 3\n" },
	{ "{'a':'no end\\nof line'}", "a:\n  no end\n  of line\n" },
	{ "{'a':'\\n'}", "a:\n\n" },
	/* What is empty has a line too. */
	{ "{'a':[],'b':{},'c':[ ],'d':{ },'e':[[],{}]}",
	  "a: []\nb: {}\nc: []\nd: {}\ne[0]: []\ne[1]: {}\n" },
	/* Keys that would make a path mean something else. */
	{ "{'':1,'a.b':{'c':2},'x y':[3],'d':{'':4,'e f':{'g':5}}}",
	  "[\"\"]: 1\n[\"a.b\"].c: 2\n[\"x y\"][0]: 3\n"
	  "d[\"\"]: 4\nd[\"e f\"].g: 5\n" },
	{ "{'a[0]':1,'b]':2,'\\u0022':3,'\\\\':4,'\\\\n':5,'\\n':6}",
	  "[\"a[0]\"]: 1\n[\"b]\"]: 2\n[\"\\\"\"]: 3\n[\"\\\\\"]: 4\n"
	  "[\"\\\\n\"]: 5\n[\"\\n\"]: 6\n" },
	{ "{'\\u0000':1,'\\u001b':2,'\\u007f':3,'\\u009b':4,'\\t':5}",
	  "[\"\\u0000\"]: 1\n[\"\\u001b\"]: 2\n[\"\\u007f\"]: 3\n"
	  "[\"\\u009b\"]: 4\n[\"\\t\"]: 5\n" },
	{ "{'\\ud83d':1,'\\ude00x':2,'\\ufffd':3,'\\ud83d\\ude00':4}",
	  "[\"\\ud83d\"]: 1\n[\"\\ude00x\"]: 2\n\xEF\xBF\xBD: 3\n"
	  "\xF0\x9F\x98\x80: 4\n" },
	{ "{'-n':true,'a:b':1,'$ref':2,'gr\xC3\xB6\xC3\x9F"
	  "e':3}",
	  "-n: true\na:b: 1\n$ref: 2\ngr\xC3\xB6\xC3\x9F"
	  "e: 3\n" },
	/* JavaScript's order, and the last of equal keys; at every level. */
	{ "{'b':1,'2':2,'b':3,'1':{'x':1,'10':2,'9':3,'x':4}}",
	  "1.9: 3\n1.10: 2\n1.x: 4\n2: 2\nb: 3\n" },
	{ "{'a':{'gone':1},'a':[2]}", "a[0]: 2\n" },
};

static struct json parse(struct span text)
{
	struct json v = { 0 };
	CHECK_INT(json_check(text, &v), 0);
	return v;
}

static void check_rows(void)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct buf json = test_quoted(rows[i].json);
		struct buf out = { 0 };
		test_row = rows[i].json;
		flat_add(&out, parse(buf_span(&json)));
		text_finish(&out, 0);
		CHECK_BUF(&out, rows[i].text);
		buf_free(&json);
		buf_free(&out);
	}
	test_row = NULL;
	struct buf none = { 0 };
	flat_add(&none, (struct json){ 0 });
	CHECK_INT(none.len, 0);
}

static void add_times(struct buf *out, size_t n, const char *s)
{
	for (size_t i = 0; i < n; i++)
		buf_adds(out, s);
}

/* A path of exactly the limit is entered; a byte more, and it is JSON. */
static void check_limit(void)
{
	for (size_t more = 0; more < 2; more++) {
		struct buf json = { 0 };
		struct buf want = { 0 };
		struct buf out = { 0 };
		buf_adds(&json, "{\"");
		buf_fill(&json, 'k', FLAT_PATH_MAX + more);
		buf_adds(&json, "\":{\"a\": [1]}}");
		buf_fill(&want, 'k', FLAT_PATH_MAX + more);
		buf_adds(&want, more ? ": {\"a\":[1]}\n" : ".a: [1]\n");
		flat_add(&out, parse(buf_span(&json)));
		CHECK_SPAN(buf_span(&out), buf_span(&want));
		buf_free(&json);
		buf_free(&want);
		buf_free(&out);
	}
}

/* `levels` of so many are entered; the path is `first`, then `step` for each.
 */
static void check_depth(const char *open, const char *close, const char *first,
			const char *step, size_t levels)
{
	enum { DEEP = 200000 };
	struct buf json = { 0 };
	struct buf want = { 0 };
	struct buf out = { 0 };
	add_times(&json, DEEP, open);
	buf_addc(&json, '1');
	add_times(&json, DEEP, close);
	buf_adds(&want, first);
	add_times(&want, levels - 1, step);
	buf_adds(&want, ": ");
	add_times(&want, DEEP - levels, open);
	buf_addc(&want, '1');
	add_times(&want, DEEP - levels, close);
	buf_addc(&want, '\n');
	flat_add(&out, parse(buf_span(&json)));
	CHECK(span_eq(buf_span(&out), buf_span(&want)));
	buf_free(&json);
	buf_free(&want);
	buf_free(&out);
}

/* Each of so many values is a line, and no line is longer than it may be. */
static void check_width(void)
{
	enum { WIDE = 100000 };
	struct buf json = { 0 };
	struct buf out = { 0 };
	buf_adds(&json, "{\"list\":[0");
	add_times(&json, WIDE - 1, ",0");
	buf_adds(&json, "]}");
	flat_add(&out, parse(buf_span(&json)));
	size_t lines = 0;
	for (size_t i = 0; i < out.len; i++)
		lines += out.data[i] == '\n';
	CHECK_INT(lines, WIDE);
	CHECK(span_starts(buf_span(&out), SPAN("list[0]: 0\nlist[1]: 0\n")));
	struct span end = SPAN("\nlist[99999]: 0\n");
	CHECK_SPAN(((struct span){ out.data + out.len - end.n, end.n }), end);
	buf_free(&json);
	buf_free(&out);
}

int main(void)
{
	check_rows();
	check_limit();
	check_depth("[", "]", "[0]", "[0]", 86);
	check_depth("{\"a\":", "}", "a", ".a", 129);
	check_width();
	return test_done("flat");
}
