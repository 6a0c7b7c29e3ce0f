#include "core/base/columns.h"

#include "tests/unit/tables.h"

static void check_row(struct row *r, struct buf *made)
{
	CHECK_INT(columns_of(row_field(r, 0)), atol(row_text(r, 1)));
	buf_add(made, columns_fit(row_field(r, 0), 4));
}

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
	rows_check("columns", check_row);
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
