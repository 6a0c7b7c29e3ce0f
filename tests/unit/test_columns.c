#include "core/base/columns.h"

#include "tests/unit/test.h"

static const struct row {
	const char *text;
	size_t columns;
	const char *fit; /* in four columns */
} rows[] = {
	{ "", 0, "" },
	{ "abc", 3, "abc" },
	{ "abcde", 5, "abcd" },
	{ "h\xC3\xA9llo", 5, "h\xC3\xA9ll" },
	/* Wide characters: in the second row one column is left over. */
	{ "\xE6\xBC\xA2\xE5\xAD\x97", 4, "\xE6\xBC\xA2\xE5\xAD\x97" },
	{ "a\xE6\xBC\xA2\xE5\xAD\x97", 5, "a\xE6\xBC\xA2" },
	/* A combining mark stays with its character. */
	{ "abcd\xCC\x81!", 5, "abcd\xCC\x81" },
};

/* In four columns, and in none. */
static void check_cut(const char *text, const char *want)
{
	struct buf out = { 0 };
	columns_add_cut(&out, span_of(text), 4);
	columns_add_cut(&out, span_of(text), 0);
	CHECK_BUF(&out, want);
	buf_free(&out);
}

static void check_rows(void)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct span text = span_of(rows[i].text);
		test_row = rows[i].text;
		CHECK_INT(columns_of(text), rows[i].columns);
		CHECK_SPAN(columns_fit(text, 4), span_of(rows[i].fit));
	}
	test_row = NULL;
	check_cut("abcd", "abcd");
	check_cut("abcde", "abc…");
	check_cut("a漢字", "a漢…");
	check_cut("漢字漢", "漢…");
}

int main(void)
{
	check_rows();
	return test_done("columns");
}
