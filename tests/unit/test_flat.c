#include "core/json/flat.h"

#include "core/base/text.h"
#include "tests/unit/tables.h"

static struct json parse(struct span text)
{
	struct json v = { 0 };
	CHECK_INT(json_check(text, &v), 0);
	return v;
}

static void check_row(struct row *r, struct buf *made)
{
	flat_add(made, row_json(r, 0));
	text_finish(made, 0);
}

static void check_none(void)
{
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
	rows_check("flat", check_row);
	check_none();
	check_limit();
	check_depth("[", "]", "[0]", "[0]", 86);
	check_depth("{\"a\":", "}", "a", ".a", 129);
	check_width();
	return test_done("flat");
}
