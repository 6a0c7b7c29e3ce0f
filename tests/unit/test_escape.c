#include "core/base/escape.h"

#include "tests/unit/tables.h"

static void check_length(struct row *r, struct buf *made)
{
	buf_addf(made, "%zu", escape_length(row_field(r, 0)));
}

static void check_plain(struct row *r, struct buf *made)
{
	escape_add_plain(made, row_field(r, 0));
}

int main(void)
{
	rows_check("escape/length", check_length);
	rows_check("escape/plain", check_plain);
	return test_done("escape");
}
