#include "core/session/dialect/tools.h"

#include "tests/unit/tables.h"

static void check_row(struct row *r, struct buf *made)
{
	buf_adds(made, tool_is(row_field(r, 0), row_field(r, 1)) ? "is" : "-");
}

int main(void)
{
	rows_check("tools", check_row);
	return test_done("tools");
}
