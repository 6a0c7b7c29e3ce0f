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

int main(void)
{
	struct buf b = { 0 };
	rows_check("pathname/normal", check_normal);
	rows_check("pathname/from", check_from);
	/* What is before it stays. */
	buf_adds(&b, "a/b");
	pathname_add_normal(&b, (struct span){ 0 }, SPAN("../c"));
	CHECK_BUF(&b, "a/b../c");
	buf_free(&b);
	return test_done("pathname");
}
