#include "core/json/nesting.h"
#include "tests/unit/test.h"

/* A text, and the depth after each of its brackets. */
static const struct {
	struct span text;
	const char *depths;
} rows[] = {
	{ SPAN(""), "" },
	{ SPAN("1, \"a\""), "" },
	{ SPAN("{}[]"), "1010" },
	{ SPAN("{\"a\":[{},{}]}"), "12323210" },
	/* Brackets and quotes in strings, and backslashes before them. */
	{ SPAN("[\"{\\\"[\\\\\",\"\\\\\\\"]\"]"), "10" },
	/* A bracket that closes nothing; a string that does not end. */
	{ SPAN("]}{}\"{"), "10" },
	{ SPAN("[\"\\"), "1" },
	{ SPAN("[\"an escaped quote \\\" that is past all of the blocks, "
	       "and brackets [[[[[[[[[[[[[[[[[[[[[[[[[[[[[ \\\\\"]"),
	  "10" },
};

/* In two pieces, cut anywhere. */
static void check_cut(struct span text, size_t cut, const char *depths)
{
	struct nesting n = { 0 };
	struct buf got = { 0 };
	const char *p = text.p;
	while ((p = nesting_next(&n, p, text.p + cut)))
		buf_addf(&got, "%zu", n.depth);
	p = text.p + cut;
	while ((p = nesting_next(&n, p, text.p + text.n)))
		buf_addf(&got, "%zu", n.depth);
	CHECK_BUF(&got, depths);
	buf_free(&got);
}

int main(void)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		test_row = rows[i].text.p;
		for (size_t cut = 0; cut <= rows[i].text.n; cut++)
			check_cut(rows[i].text, cut, rows[i].depths);
	}
	test_row = NULL;
	return test_done("nesting");
}
