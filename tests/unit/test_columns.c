#include "core/base/columns.h"

#include "tests/unit/tables.h"

static struct columns columns;

static void check_row(struct row *r, struct buf *made)
{
	CHECK_INT(columns_of(&columns, row_field(r, 0)), atol(row_text(r, 1)));
	buf_add(made, columns_fit(&columns, row_field(r, 0), 4));
}

/* In four columns, and in none. */
static void check_cut(const char *text, const char *want)
{
	struct buf out = { 0 };
	columns_add_cut(&columns, &out, span_of(text), 4);
	columns_add_cut(&columns, &out, span_of(text), 0);
	CHECK_BUF(&out, want);
	buf_free(&out);
}

static void check_rows(void)
{
	columns_begin(&columns);
	test_need(columns.utf8, "C.UTF-8");
	rows_check("columns", check_row);
	check_cut("abcd", "abcd");
	check_cut("abcde", "abc…");
	check_cut("a漢字", "a漢…");
	check_cut("漢字漢", "漢…");
	columns_end(&columns);
	CHECK_INT(uselocale((locale_t)0) == LC_GLOBAL_LOCALE, true);
}

int main(void)
{
	check_rows();
	columns_set_locale();
	check_rows();
	return test_done("columns");
}
