#include "core/show/step_name.h"

#include "tests/unit/tables.h"

TABLE(check_squeezed, "step_name/squeezed")
{
	step_name_squeeze(made, row_field(r, 0), row_text(r, 1),
			  strtoul(row_text(r, 2), NULL, 10),
			  strtoul(row_text(r, 3), NULL, 10));
}

TABLE(check_number, "step_name/numbers")
{
	bool whole = true;
	uint32_t number = step_name_number(row_field(r, 0), &whole);
	buf_addf(made, number ? "%u" : "none", number);
	buf_adds(made, number && !whole ? " and more" : "");
}

RUN_TESTS("step_name")
