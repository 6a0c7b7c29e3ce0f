#include "core/session/dialect/tools.h"

#include "tests/unit/tables.h"

TABLE(check_row, "tools")
{
	buf_adds(made, tool_is(row_field(r, 0), row_field(r, 1)) ? "is" : "-");
}

RUN_TESTS("tools")
