#include "core/base/pathname.h"

#include "tests/unit/tables.h"

static void check_normal(struct row *r, struct buf *made)
{
	pathname_add_normal(made, row_field(r, 0), row_field(r, 1));
}

static void check_from(struct row *r, struct buf *made)
{
	buf_add(made, pathname_from(row_field(r, 0), row_field(r, 1)));
}

static void check_trim(struct row *r, struct buf *made)
{
	buf_add(made, pathname_trim(row_field(r, 0)));
}

static void check_in(struct row *r, struct buf *made)
{
	bool is = pathname_is_in(row_field(r, 0), row_field(r, 1));
	buf_adds(made, is ? "in" : "not");
}

int main(void)
{
	struct buf b = { 0 };
	rows_check("pathname/normal", check_normal);
	rows_check("pathname/from", check_from);
	rows_check("pathname/trim", check_trim);
	rows_check("pathname/in", check_in);
	/* What is before it stays. */
	buf_adds(&b, "a/b");
	pathname_add_normal(&b, (struct span){ 0 }, SPAN("../c"));
	CHECK_BUF(&b, "a/b../c");
	buf_free(&b);
	return test_done("pathname");
}
