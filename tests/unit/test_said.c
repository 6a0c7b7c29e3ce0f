/*
 * What counts as said or done in each format: not the prompts of the system,
 * notes of the environment, skills and attachments.
 */
#include "core/show/rows.h"
#include "tests/unit/tables.h"

TABLE(check_row, "said")
{
	const struct dialect *d = dialect_named(row_field(r, 0));
	test_row = row_text(r, 1);
	buf_adds(made, rows_is_said(d->showing, row_json(r, 1)) ? "said" : "-");
}

RUN_TESTS("said")
