#include "core/base/escape.h"

#include "tests/unit/tables.h"

TABLE(check_length, "escape/length")
{
	buf_addf(made, "%zu", escape_length(row_field(r, 0)));
}

TABLE(check_plain, "escape/plain")
{
	escape_add_plain(made, row_field(r, 0));
}

RUN_TESTS("escape")
